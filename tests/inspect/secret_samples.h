/* SPDX-License-Identifier: ISC
 * The samples of the rules, assembled (<+> joins halves, <n> is a line break), and a scan of a text with its findings. */
#ifndef SALLYPORT_SECRET_SAMPLES_H
#define SALLYPORT_SECRET_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/secret_first.h"
#include "inspect/secret.h"
#include "inspect/sink.h"

struct sample {
    char rule[RULE_ID_MAX + 1];
    uint8_t *text;
    size_t len;
};

struct samples {
    struct sample *v;
    size_t n;
};

/* First sample of every default rule's .hit; the default rules too. */
void samples_load(struct samples *samples, struct rule_table *table);
void samples_free(struct samples *samples);

/* Scans through the same entry as the worker; the engine is set up at the first call. */
void sample_scan(struct sink_list *list, const void *text, size_t len);
/* The same through a descriptor, so that the text is read in windows. */
void sample_scan_file(struct sink_list *list, const void *text, size_t len);
/* The same of a binary that nothing claims. */
void sample_scan_binary(struct sink_list *list, const void *data, size_t len);
bool sample_found(const struct sink_list *list, const char *rule);
/* Is any finding of the rule there, and does any text of any finding hold six characters of the sample in a row? */
bool sample_leaks(const struct sink_list *list, const struct sample *sample);

uint32_t sample_random(uint32_t *state);

#endif
