# SPDX-License-Identifier: ISC
bin_PROGRAMS += sallyport
sallyport_SOURCES = broker/main.c %D%/args.c %D%/args.h %D%/cmd.c %D%/cmd.h %D%/cmd_explain.c %D%/cmd_init.c %D%/cmd_machine.c %D%/cmd_machine.h %D%/cmd_probe.c %D%/cmd_probe.h %D%/cmd_promote.c \
    %D%/cmd_run.c %D%/cmd_verify.c %D%/line.c %D%/line.h %D%/line_contract.c %D%/line_inspect.c %D%/line_publish.c \
    %D%/line_names.c %D%/line_names.h %D%/line_report.c %D%/line_rules.c %D%/line_source.c %D%/line_stream.c %D%/line_stream.h %D%/line_walk.c %D%/proof.c %D%/proof.h \
    %D%/line_worker.c %D%/line_worker.h
sallyport_LDADD = $(BROKER_LIBS) $(BROKER_LIBRARIES)
# evidence
sallyport_SOURCES += %D%/cmd_doctor.c %D%/cmd_export.c %D%/cmd_note.c %D%/cmd_diff.c %D%/cmd_sign.c %D%/cmd_stats.c %D%/key_check.c %D%/key_check.h %D%/line_facts.c %D%/line_facts.h %D%/line_far.c %D%/line_far.h %D%/line_ledger.c %D%/line_parts.c %D%/line_parts.h %D%/line_sign.c
# fetch
sallyport_SOURCES += %D%/fetch.c %D%/fetch.h
# secret rules
sallyport_SOURCES += %D%/cmd_rules.c
