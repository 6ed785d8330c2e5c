# SPDX-License-Identifier: ISC
# Sources of the secret inspector: appended to libfirst.a and libsecond.a.
