# SPDX-License-Identifier: ISC
# A harness takes three lines (see README): its name in fuzz_programs, its sources with $(FUZZ_MAIN), its libraries with
# $(FUZZ_LIBS). It is replayed over corpus/NAME in `make check`; with --enable-fuzzing the same program is a libFuzzer one.
if FUZZING
FUZZ_MAIN =
FUZZ_LIBS = $(FUZZ_ENGINE)
FUZZ_REPLAYED =
else
FUZZ_MAIN = %D%/replay.c
FUZZ_LIBS = libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS)
FUZZ_REPLAYED = $(fuzz_programs)
endif
fuzz_programs =
check_PROGRAMS += $(fuzz_programs)
TESTS += $(FUZZ_REPLAYED)
EXTRA_DIST += %D%/README %D%/corpus %D%/replay.c

fuzz_programs += %D%/bin/fuzz_path
fuzz_bin_fuzz_path_SOURCES = %D%/fuzz_path.c $(FUZZ_MAIN)
fuzz_bin_fuzz_path_LDADD = libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_contract_match
fuzz_bin_fuzz_contract_match_SOURCES = %D%/fuzz_contract_match.c $(FUZZ_MAIN)
fuzz_bin_fuzz_contract_match_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_contract_parse
fuzz_bin_fuzz_contract_parse_SOURCES = %D%/fuzz_contract_parse.c $(FUZZ_MAIN)
fuzz_bin_fuzz_contract_parse_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_wire
fuzz_bin_fuzz_wire_SOURCES = %D%/fuzz_wire.c $(FUZZ_MAIN)
fuzz_bin_fuzz_wire_LDADD = libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_finding_wire
fuzz_bin_fuzz_finding_wire_SOURCES = %D%/fuzz_finding_wire.c $(FUZZ_MAIN)
fuzz_bin_fuzz_finding_wire_LDADD = libinspect.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_contract_floor
fuzz_bin_fuzz_contract_floor_SOURCES = %D%/fuzz_contract_floor.c $(FUZZ_MAIN)
fuzz_bin_fuzz_contract_floor_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_contract_init
fuzz_bin_fuzz_contract_init_SOURCES = %D%/fuzz_contract_init.c $(FUZZ_MAIN)
fuzz_bin_fuzz_contract_init_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
if LINUX
fuzz_programs += %D%/bin/fuzz_box_gate_request
endif
fuzz_bin_fuzz_box_gate_request_SOURCES = %D%/fuzz_box_gate_request.c $(FUZZ_MAIN)
fuzz_bin_fuzz_box_gate_request_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
include fuzz/type.mk


ARCHIVE_FUZZ_LIBS = libfirst.a libsecret.a libworker.a libbase.a $(FIRST_EXTERNAL) $(FUZZ_LIBS)
fuzz_programs += %D%/bin/fuzz_archive_peel %D%/bin/fuzz_archive_tar %D%/bin/fuzz_archive_zip \
    %D%/bin/fuzz_archive_sevenzip
fuzz_bin_fuzz_archive_peel_SOURCES = %D%/fuzz_archive_peel.c %D%/archive_drive.c %D%/archive_drive.h $(FUZZ_MAIN)
fuzz_bin_fuzz_archive_peel_LDADD = $(ARCHIVE_FUZZ_LIBS)
fuzz_bin_fuzz_archive_tar_SOURCES = %D%/fuzz_archive_tar.c %D%/archive_drive.c %D%/archive_drive.h $(FUZZ_MAIN)
fuzz_bin_fuzz_archive_tar_LDADD = $(ARCHIVE_FUZZ_LIBS)
fuzz_bin_fuzz_archive_zip_SOURCES = %D%/fuzz_archive_zip.c %D%/archive_drive.c %D%/archive_drive.h $(FUZZ_MAIN)
fuzz_bin_fuzz_archive_zip_LDADD = $(ARCHIVE_FUZZ_LIBS)
fuzz_bin_fuzz_archive_sevenzip_SOURCES = %D%/fuzz_archive_sevenzip.c %D%/archive_drive.c %D%/archive_drive.h $(FUZZ_MAIN)
fuzz_bin_fuzz_archive_sevenzip_LDADD = $(ARCHIVE_FUZZ_LIBS)

include fuzz/active.mk
include fuzz/secret.mk

include fuzz/record.mk

if LINUX
fuzz_programs += %D%/bin/fuzz_far_session
fuzz_bin_fuzz_far_session_SOURCES = %D%/fuzz_far_session.c $(FUZZ_MAIN)
fuzz_bin_fuzz_far_session_LDADD = libengine.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
endif
