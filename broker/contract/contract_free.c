/* SPDX-License-Identifier: ISC
 * Broker. Gives back what a contract owns; also one that was only half made. */
#include <stdlib.h>

#include "contract/contract_parse.h"

static void free_texts(struct text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
}

static void free_pairs(struct pair_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].key);
        free(list->v[i].value);
    }
    free(list->v);
}

static void free_output(struct output *output)
{
    for (size_t i = 0; i < output->accept_n; i++) {
        free(output->accept[i].reason);
        free(output->accept[i].approved_by);
        free(output->accept[i].path);
        free(output->accept[i].member);
    }
    free(output->accept);
    free(output->path);
    free(output->glob);
    free(output->reason);
    free_texts(&output->exclude);
}

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->inputs_n; i++) {
        free(run->inputs[i].from);
        free(run->inputs[i].at);
    }
    free(run->inputs);
    free(run->image);
    free(run->base);
    free(run->stdout_name);
    free(run->stderr_name);
    free(run->fetch.reason);
    free(run->fetch.approved_by);
    free_texts(&run->fetch.command);
    free_texts(&run->command);
    free_pairs(&run->env);
}

void contract_free(struct contract **contract)
{
    struct contract *c = *contract;
    if (!c)
        return;
    char *const texts[] = {c->file, c->name, c->revision, c->owner, c->escalate, c->purpose};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    free(c->text);
    free_texts(&c->not_covered);
    free_pairs(&c->labels);
    free_pairs(&c->threat);
    free_pairs(&c->source);
    free_run(&c->run);
    for (size_t i = 0; i < c->outputs_n; i++)
        free_output(&c->outputs[i]);
    free(c->outputs);
    free(c);
    *contract = NULL;
}
