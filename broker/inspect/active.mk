# SPDX-License-Identifier: ISC
# Sources of the active inspector: appended to libfirst.a and libsecond.a.
