# SPDX-License-Identifier: ISC
# Sources of the archive inspector: appended to libfirst.a and libsecond.a.
