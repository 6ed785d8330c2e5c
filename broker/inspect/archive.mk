# SPDX-License-Identifier: ISC
# Sources of the archive inspector: appended to libfirst.a and libsecond.a.
libfirst_a_SOURCES += %D%/archive.c %D%/archive.h %D%/archive_ar.c %D%/archive_ar.h %D%/archive_bound.c %D%/archive_cpio.c %D%/archive_cpio.h \
    %D%/archive_hold.c %D%/archive_layer.c %D%/archive_name.c %D%/archive_name.h %D%/archive_package.c %D%/archive_package.h \
    %D%/archive_peel.c %D%/archive_peel.h %D%/archive_rpm.c %D%/archive_rpm.h %D%/archive_sevenzip.c %D%/archive_sevenzip.h %D%/sevenzip_chain.c \
    %D%/sevenzip_files.c %D%/sevenzip_head.c %D%/archive_stream.c %D%/archive_tar.c %D%/archive_tar.h %D%/archive_zip.c %D%/archive_zip.h \
    %D%/peel_bzip2.c %D%/peel_gzip.c %D%/peel_lz4.c %D%/peel_xz.c %D%/peel_zstd.c %D%/tar_head.c %D%/tar_head.h \
    %D%/tar_pax.c %D%/tar_source.c %D%/tar_walk.c %D%/zip_central.c %D%/zip_end.c %D%/zip_extra.c %D%/zip_local.c
libsecond_a_SOURCES += %D%/archive_second.c %D%/archive_second.h
