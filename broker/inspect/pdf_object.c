/* SPDX-License-Identifier: ISC
 * In a worker child: hostile objects. A harmful name counts wherever it stands as a name, since an indirect value is
 * still a name somewhere; in strings and text it is none. */
#include "inspect/pdf_object.h"

#include <string.h>

#include "inspect/weburl.h"

static const struct {
    const char *text;
    enum pdf_name name;
    enum finding_code code;
} names[] = {
    {"JavaScript", PDF_NAME_HARM, FINDING_ACTIVE_PDF_SCRIPT},
    {"JS", PDF_NAME_HARM, FINDING_ACTIVE_PDF_SCRIPT},
    {"Launch", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"SubmitForm", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"ImportData", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"GoToE", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"RichMedia", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"RichMediaExecute", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"Movie", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"3D", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"XFA", PDF_NAME_HARM, FINDING_ACTIVE_PDF_ACTION},
    {"EmbeddedFile", PDF_NAME_HARM, FINDING_ACTIVE_PDF_EMBEDDED},
    {"EmbeddedFiles", PDF_NAME_HARM, FINDING_ACTIVE_PDF_EMBEDDED},
    {"Collection", PDF_NAME_HARM, FINDING_ACTIVE_PDF_EMBEDDED},
    {"EF", PDF_NAME_EF, FINDING_ACTIVE_PDF_EMBEDDED},
    {"Encrypt", PDF_NAME_ENCRYPT, FINDING_NONE},
    {"OpenAction", PDF_NAME_OPENS, FINDING_NONE},
    {"AA", PDF_NAME_OPENS, FINDING_NONE},
    {"S", PDF_NAME_S, FINDING_NONE},
    {"GoTo", PDF_NAME_GOTO, FINDING_NONE},
    {"Named", PDF_NAME_GOTO, FINDING_NONE},
    {"URI", PDF_NAME_LEAVES, FINDING_NONE},
    {"GoToR", PDF_NAME_LEAVES, FINDING_NONE},
    {"GoToDp", PDF_NAME_LEAVES, FINDING_NONE},
    {"GoTo3DView", PDF_NAME_GOTO, FINDING_NONE},
    {"Thread", PDF_NAME_LEAVES, FINDING_NONE},
    {"Sound", PDF_NAME_LEAVES, FINDING_NONE},
    {"Hide", PDF_NAME_GOTO, FINDING_NONE},
    {"ResetForm", PDF_NAME_GOTO, FINDING_NONE},
    {"SetOCGState", PDF_NAME_GOTO, FINDING_NONE},
    {"Rendition", PDF_NAME_LEAVES, FINDING_NONE},
    {"Trans", PDF_NAME_GOTO, FINDING_NONE},
    {"Length", PDF_NAME_LENGTH, FINDING_NONE},
    {"Filter", PDF_NAME_FILTER, FINDING_NONE},
    {"Type", PDF_NAME_TYPE, FINDING_NONE},
    {"Subtype", PDF_NAME_SUBTYPE, FINDING_NONE},
    {"N", PDF_NAME_N, FINDING_NONE},
    {"First", PDF_NAME_FIRST, FINDING_NONE},
    {"Predictor", PDF_NAME_PREDICTOR, FINDING_NONE},
    {"F", PDF_NAME_F, FINDING_NONE},
    {"ObjStm", PDF_NAME_OBJSTM, FINDING_NONE},
    {"XRef", PDF_NAME_XREF, FINDING_NONE},
    {"Image", PDF_NAME_IMAGE, FINDING_NONE},
    {"DecodeParms", PDF_NAME_PARMS, FINDING_NONE},
    {"DP", PDF_NAME_PARMS, FINDING_NONE},
    {"Columns", PDF_NAME_COLUMNS, FINDING_NONE},
    {"Colors", PDF_NAME_COLORS, FINDING_NONE},
    {"BitsPerComponent", PDF_NAME_BITS, FINDING_NONE},
    {"EarlyChange", PDF_NAME_EARLY, FINDING_NONE},
    {"Width", PDF_NAME_SIDE, FINDING_NONE},
    {"Height", PDF_NAME_SIDE, FINDING_NONE},
    {"FlateDecode", PDF_NAME_FLATE, FINDING_NONE},
    {"Fl", PDF_NAME_FLATE, FINDING_NONE},
    {"LZWDecode", PDF_NAME_LZW, FINDING_NONE},
    {"LZW", PDF_NAME_LZW, FINDING_NONE},
    {"ASCIIHexDecode", PDF_NAME_HEX, FINDING_NONE},
    {"AHx", PDF_NAME_HEX, FINDING_NONE},
    {"ASCII85Decode", PDF_NAME_85, FINDING_NONE},
    {"A85", PDF_NAME_85, FINDING_NONE},
    {"RunLengthDecode", PDF_NAME_RUNS, FINDING_NONE},
    {"RL", PDF_NAME_RUNS, FINDING_NONE},
    {"DCTDecode", PDF_NAME_PICTURE, FINDING_NONE},
    {"DCT", PDF_NAME_PICTURE, FINDING_NONE},
    {"JPXDecode", PDF_NAME_PICTURE, FINDING_NONE},
    {"JBIG2Decode", PDF_NAME_PICTURE, FINDING_NONE},
    {"CCITTFaxDecode", PDF_NAME_PICTURE, FINDING_NONE},
    {"CCF", PDF_NAME_PICTURE, FINDING_NONE},
};

void pdf_malformed(struct pdf_file *file, uint64_t at, const char *why)
{
    if (!file->malformed) {
        file->malformed = why;
        file->malformed_at = at;
    }
}

void pdf_list_add(struct pdf_list *list, uint64_t number)
{
    if (list->n < PDF_REFS)
        list->v[list->n++] = number;
    else
        list->full = true;
}

void pdf_object_start(struct pdf_object *o, struct pdf_file *file, uint64_t at)
{
    *o = (struct pdf_object){.file = file, .at = at};
}

static size_t lookup(const struct pdf_tokens *t)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].text[0] == t->text[0] && pdf_token_is(t, names[i].text))
            return i;
    return ARRAY_LEN(names);
}

/* --- names --------------------------------------------------------------------------------------- */

static void note_harm(struct pdf_object *o, size_t row, bool key)
{
    if (row == ARRAY_LEN(names))
        return;
    enum pdf_name name = names[row].name;
    if (name == PDF_NAME_HARM && (!o->pairs_only || o->after_s))
        tally_refuse(&o->file->tally, names[row].code, o->at, NULL);
    else if (name == PDF_NAME_EF && key && !o->pairs_only)
        tally_refuse(&o->file->tally, names[row].code, o->at, NULL);
    else if (name == PDF_NAME_ENCRYPT && key && !o->pairs_only)
        o->file->encrypted = true;
}

static void add_filter(struct pdf_facts *f, enum pdf_name name)
{
    static const enum pdf_filter_kind kinds[] = {
        [PDF_NAME_FLATE] = PDF_FILTER_FLATE, [PDF_NAME_LZW] = PDF_FILTER_LZW,   [PDF_NAME_HEX] = PDF_FILTER_HEX,
        [PDF_NAME_85] = PDF_FILTER_85,       [PDF_NAME_RUNS] = PDF_FILTER_RUNS, [PDF_NAME_PICTURE] = PDF_FILTER_PICTURE};
    enum pdf_filter_kind kind = kinds[name];
    if (f->filters < PDF_CHAIN)
        f->filter[f->filters] = kind ? kind : PDF_FILTER_UNKNOWN;
    f->filters++;
}

/* A name as a value. */
static void value_name(struct pdf_object *o, const struct pdf_level *l, enum pdf_name name)
{
    struct pdf_facts *f = &o->facts;
    if (l->key == PDF_NAME_S && l->has_key && !o->pairs_only) {
        if (l->action && name != PDF_NAME_GOTO && name != PDF_NAME_HARM)
            tally_refuse(&o->file->tally, FINDING_ACTIVE_PDF_ACTION, o->at, "an action is run when the document is opened");
        f->acts = f->acts || (o->depth == 1 && name == PDF_NAME_LEAVES);
    }
    bool filter = o->depth >= 1 && o->depth <= 2 && o->levels[1].key == PDF_NAME_FILTER && o->levels[1].has_key;
    if (filter && (o->depth == 1 || !l->dict))
        add_filter(f, name);
    if (o->depth != 1)
        return;
    f->objstm = f->objstm || (l->key == PDF_NAME_TYPE && name == PDF_NAME_OBJSTM);
    f->xref = f->xref || (l->key == PDF_NAME_TYPE && name == PDF_NAME_XREF);
    f->image = f->image || (l->key == PDF_NAME_SUBTYPE && name == PDF_NAME_IMAGE);
}

static void key_name(struct pdf_object *o, enum pdf_name name)
{
    struct pdf_facts *f = &o->facts;
    f->predictor = f->predictor || name == PDF_NAME_PREDICTOR;
    if (o->depth != 1)
        return;
    f->n = f->n || name == PDF_NAME_N;
    f->first = f->first || name == PDF_NAME_FIRST;
    f->external = f->external || name == PDF_NAME_F;
    f->sides += name == PDF_NAME_SIDE;
}

static bool take_name(struct pdf_object *o, const struct pdf_tokens *t)
{
    size_t row = lookup(t);
    enum pdf_name name = row < ARRAY_LEN(names) ? names[row].name : PDF_NAME_OTHER;
    struct pdf_level *l = &o->levels[o->depth];
    bool key = l->dict && (!l->has_key || l->has_value);
    note_harm(o, row, key);
    if (key) {
        l->key = name;
        l->has_key = true;
        l->has_value = false;
        key_name(o, name);
    } else {
        value_name(o, l, name);
        l->has_value = true;
    }
    o->after_s = name == PDF_NAME_S;
    return true;
}

/* --- structure ----------------------------------------------------------------------------------- */

/* Inside the parameters of filters: one dictionary, or a list of them. */
static bool in_parms(const struct pdf_object *o)
{
    bool parms = o->depth >= 2 && o->levels[1].has_key && o->levels[1].key == PDF_NAME_PARMS;
    return parms && (o->depth == 2 || (o->depth == 3 && !o->levels[2].dict));
}

static bool open_level(struct pdf_object *o, bool dict)
{
    struct pdf_level *l = &o->levels[o->depth];
    bool action = l->action || (l->has_key && !l->has_value && l->key == PDF_NAME_OPENS);
    l->has_value = true;
    if (o->depth == PDF_DEPTH)
        return false;
    if (o->depth == 0 && dict)
        o->facts.is_dict = true;
    o->levels[++o->depth] = (struct pdf_level){.dict = dict, .action = action};
    if (dict && in_parms(o))
        o->facts.parms_n++;
    return true;
}

static bool close_level(struct pdf_object *o, bool dict)
{
    if (o->depth == 0 || o->levels[o->depth].dict != dict)
        return false;
    o->depth--;
    return true;
}

static void take_parameter(struct pdf_object *o, uint64_t value)
{
    struct pdf_facts *f = &o->facts;
    enum pdf_name key = o->levels[o->depth].key;
    if (f->parms_n == 0 || f->parms_n > PDF_CHAIN)
        return;
    struct pdf_parms *parms = &f->parms[f->parms_n - 1];
    if (key == PDF_NAME_PREDICTOR)
        parms->predictor = value;
    else if (key == PDF_NAME_COLUMNS)
        parms->columns = value;
    else if (key == PDF_NAME_COLORS)
        parms->colors = value;
    else if (key == PDF_NAME_BITS)
        parms->bits = value;
    else if (key == PDF_NAME_EARLY)
        parms->late = value == 0;
}

static bool take_number(struct pdf_object *o, const struct pdf_tokens *t)
{
    struct pdf_level *l = &o->levels[o->depth];
    if (o->depth == 1 && l->dict && l->key == PDF_NAME_LENGTH && !l->has_value) {
        o->facts.has_length = t->integer;
        o->facts.length = t->value;
    }
    if (o->depth == 1 && l->dict && l->key == PDF_NAME_N && !l->has_value)
        o->facts.n_value = t->integer ? t->value : 0;
    if (o->depth == 1 && l->dict && l->key == PDF_NAME_FIRST && !l->has_value)
        o->facts.first_value = t->integer ? t->value : 0;
    if (l->dict && in_parms(o) && t->integer)
        take_parameter(o, t->value);
    o->before = o->number;
    o->number = t->integer ? t->value : UINT64_MAX;
    l->has_value = true;
    return true;
}

static bool take_word(struct pdf_object *o, const struct pdf_tokens *t)
{
    struct pdf_level *l = &o->levels[o->depth];
    if (pdf_token_is(t, "R")) {
        if (o->depth == 1 && l->key == PDF_NAME_LENGTH)
            o->facts.indirect_length = true;
        enum pdf_name top = o->depth >= 1 && o->levels[1].has_key ? o->levels[1].key : PDF_NAME_OTHER;
        bool picture = o->depth == 3 && top == PDF_NAME_PARMS; /* JBIG2 names its globals */
        if ((top == PDF_NAME_FILTER || top == PDF_NAME_PARMS) && !picture && !(o->depth == 2 && l->dict))
            o->facts.elsewhere = true;
        if (!o->pairs_only && (l->action || (l->has_key && l->key == PDF_NAME_OPENS)))
            pdf_list_add(&o->file->opened, o->before);
        return true;
    }
    if (!l->dict && o->depth == 2 && o->levels[1].key == PDF_NAME_PARMS && pdf_token_is(t, "null"))
        o->facts.parms_n++;
    l->has_value = true;
    return pdf_token_is(t, "true") || pdf_token_is(t, "false") || pdf_token_is(t, "null");
}

/* The address of a link, or an object of its own that may be one: viewers hand it to the browser, or to the system. */
static void take_string(struct pdf_object *o, const struct pdf_tokens *t)
{
    struct pdf_level *l = &o->levels[o->depth];
    bool address = o->depth == 0 || (l->has_key && !l->has_value && l->key == PDF_NAME_LEAVES);
    size_t len = t->len < PDF_TEXT ? t->len : PDF_TEXT;
    enum weburl kind = address ? weburl_classify((const uint8_t *)t->text, len) : WEBURL_LOCAL;
    if (kind == WEBURL_SCRIPT || kind == WEBURL_HANDLER)
        tally_refuse(&o->file->tally, FINDING_ACTIVE_PDF_ACTION, o->at, "a link runs script or starts a program");
    l->has_value = true;
}

bool pdf_object_token(struct pdf_object *o, const struct pdf_tokens *t, enum pdf_kind kind)
{
    bool after_s = o->after_s && kind == PDF_NAME;
    o->after_s = after_s;
    switch (kind) {
    case PDF_NAME:
        return take_name(o, t);
    case PDF_NUMBER:
        return take_number(o, t);
    case PDF_WORD:
        return take_word(o, t);
    case PDF_DICT:
    case PDF_ARRAY:
        return open_level(o, kind == PDF_DICT);
    case PDF_DICT_END:
    case PDF_ARRAY_END:
        return close_level(o, kind == PDF_DICT_END);
    case PDF_STRING:
        take_string(o, t);
        return true;
    case PDF_BAD:
    case PDF_EOF:
        break;
    }
    return false;
}
