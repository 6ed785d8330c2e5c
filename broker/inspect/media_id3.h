/* SPDX-License-Identifier: ISC
 * Files that lie in the tag of a sound: pictures and objects. */
#ifndef SALLYPORT_MEDIA_ID3_H
#define SALLYPORT_MEDIA_ID3_H

#include "inspect/inspector.h"

/* The tag in [at, at + len) of `bytes`: each picture and object in it is looked at as a member of the sound, packed text is
 * searched. False: something was not looked into, which was said. */
bool media_id3(struct inspection *in, struct bytes *bytes, uint64_t at, uint64_t len);

#endif
