# SPDX-License-Identifier: ISC
bin_PROGRAMS += sallyport
sallyport_SOURCES = broker/main.c %D%/cmd.c %D%/cmd.h
sallyport_LDADD = $(BROKER_LIBS) $(BROKER_EXTERNAL)
