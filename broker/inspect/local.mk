# SPDX-License-Identifier: ISC
# libinspect.a: broker side. libworker.a: frame of both worker programs. libfirst.a, libsecond.a: their inspectors.
noinst_LIBRARIES += libinspect.a libworker.a libfirst.a libsecond.a
libinspect_a_SOURCES = %D%/finding_wire.c %D%/finding_wire.h %D%/inspect.c %D%/inspect.h \
    %D%/inspect_ask.c %D%/inspect_ask.h %D%/inspect_batch.c %D%/inspect_batch.h %D%/inspect_pool.c %D%/inspect_pool.h \
    %D%/inspect_scratch.c %D%/inspect_scratch.h %D%/inspect_spawn.c %D%/inspect_spawn.h
libworker_a_SOURCES = %D%/bytes.c %D%/bytes.h %D%/finding_wire.c %D%/inspection.c %D%/inspector.h %D%/listing.c %D%/listing.h \
    %D%/sink.c %D%/sink.h %D%/spool.c %D%/spool.h %D%/worker.h %D%/worker_child.c
libfirst_a_CPPFLAGS = $(AM_CPPFLAGS) $(HS_CFLAGS) $(PCRE2_CFLAGS) $(ZLIB_CFLAGS) $(LZMA_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS)
libfirst_a_SOURCES = %D%/worker_first.c
libsecond_a_CPPFLAGS = $(AM_CPPFLAGS) $(ARCHIVE_CFLAGS) $(MAGIC_CFLAGS)
libsecond_a_SOURCES = %D%/type_second.c %D%/type_second.h %D%/worker_second.c
include broker/inspect/active.mk
include broker/inspect/archive.mk
include broker/inspect/secret.mk
include broker/inspect/type.mk

pkglibexec_PROGRAMS += sallyport-inspect sallyport-second
sallyport_inspect_SOURCES = %D%/worker.c
sallyport_inspect_LDADD = $(FIRST_LIBS) $(INSPECT_EXTERNAL)
sallyport_inspect_LDFLAGS = $(INSPECT_LDFLAGS)
sallyport_second_SOURCES = %D%/worker.c
sallyport_second_LDADD = $(SECOND_LIBS) $(SECOND_EXTERNAL)
