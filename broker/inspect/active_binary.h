/* SPDX-License-Identifier: ISC
 * Scanners of pictures, media, models, serialised objects and other data, one a file, as active.c lists them: `applies`
 * answers from claims and admitted types, `scan` reads. */
#ifndef SALLYPORT_ACTIVE_BINARY_H
#define SALLYPORT_ACTIVE_BINARY_H

#include "inspect/inspector.h"

bool active_pickle_applies(const struct inspection *in);
void active_pickle_scan(struct inspection *in);
bool image_png_applies(const struct inspection *in);
void image_png_scan(struct inspection *in);
bool image_jpeg_applies(const struct inspection *in);
void image_jpeg_scan(struct inspection *in);
bool image_gif_applies(const struct inspection *in);
void image_gif_scan(struct inspection *in);
bool image_webp_applies(const struct inspection *in);
void image_webp_scan(struct inspection *in);
bool image_tiff_applies(const struct inspection *in);
void image_tiff_scan(struct inspection *in);
bool image_bmp_applies(const struct inspection *in); /* and icons */
void image_bmp_scan(struct inspection *in);
bool bmff_applies(const struct inspection *in); /* MP4 and AVIF */
void bmff_scan(struct inspection *in);
bool media_applies(const struct inspection *in); /* other sound and video, fonts */
void media_scan(struct inspection *in);
bool media_playlist_applies(const struct inspection *in);
void media_playlist_scan(struct inspection *in);
bool active_npy_applies(const struct inspection *in);
void active_npy_scan(struct inspection *in);
bool active_safetensors_applies(const struct inspection *in);
void active_safetensors_scan(struct inspection *in);
bool active_model_applies(const struct inspection *in); /* GGUF, ONNX, Keras, TensorFlow */
void active_model_scan(struct inspection *in);
bool active_serialized_applies(const struct inspection *in);
void active_serialized_scan(struct inspection *in);
bool active_parquet_applies(const struct inspection *in);
void active_parquet_scan(struct inspection *in);
bool active_arrow_applies(const struct inspection *in);
void active_arrow_scan(struct inspection *in);
bool active_data_applies(const struct inspection *in); /* SQLite, captures, event logs */
void active_data_scan(struct inspection *in);

#endif
