# SPDX-License-Identifier: ISC
# Sources of the type inspector: appended to libfirst.a and libsecond.a.
