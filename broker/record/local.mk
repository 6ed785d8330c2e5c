# SPDX-License-Identifier: ISC
noinst_LIBRARIES += librecord.a
librecord_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CRYPTO_CFLAGS)
librecord_a_SOURCES = \
    %D%/allowed_signers.c %D%/allowed_signers.h %D%/bag.c %D%/bag.h %D%/bag_around.c %D%/bag_around.h %D%/bag_parse.c %D%/base64.c %D%/base64.h \
    %D%/dsse.c %D%/dsse.h %D%/sign.c %D%/sign.h %D%/sign_agent.c %D%/sign_agent.h %D%/sign_bag.c %D%/sign_crypto.c %D%/sign_crypto.h %D%/sign_key.c \
    %D%/sign_key.h %D%/ssh_wire.c %D%/ssh_wire.h %D%/sshsig.c %D%/sshsig.h %D%/statement.c %D%/statement.h \
    %D%/verify_sign.c \
    %D%/ledger.c %D%/ledger.h %D%/record.c %D%/record.h %D%/record_entry.c %D%/record_entry.h \
    %D%/verify.c %D%/verify.h %D%/verify_lists.c %D%/verify_parts.h %D%/verify_record.c %D%/verify_tree.c
librecord_a_SOURCES += %D%/ledger_read.c %D%/ledger_mend.c %D%/verify_ledger.c %D%/verify_destination.c %D%/verify_info.c
librecord_a_SOURCES += %D%/export.c %D%/export.h %D%/export_forms.c %D%/export_oci.c %D%/export_sigstore.c %D%/export_private.h %D%/packed.c \
    %D%/packed.h %D%/packed_tar.c %D%/packed_zip.c %D%/verify_packed.c
librecord_a_SOURCES += %D%/record_fetch.c %D%/record_handoff.c
dist_pkgdata_DATA += %D%/record.schema.json
