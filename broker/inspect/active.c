/* SPDX-License-Identifier: ISC
 * The active inspector: every scanner that applies, in the order of the table, over one file or member. Runs in the
 * confined child on hostile bytes, after the type inspector has said its claims.
 * Invariant: a type that may be listed and that no row looks into is inspect/incomplete, never silently passed. */
#include "inspect/active_binary.h"
#include "inspect/active_scanners.h"

struct scanner {
    const char *name;
    bool (*applies)(const struct inspection *in);
    void (*scan)(struct inspection *in);
};

/* Packages whose parts are scanned as the archive walker meets them (active_office_member). One that only its name
 * calls so was not walked as one. */
static const enum type office[] = {TYPE_DOCX, TYPE_XLSX, TYPE_PPTX, TYPE_ODT, TYPE_ODS, TYPE_EPUB};

static bool unwalked_applies(const struct inspection *in)
{
    for (size_t i = 0; i < ARRAY_LEN(office); i++)
        if (claims_has(&in->claims, office[i]) && !claims_by_content(&in->claims, office[i]))
            return true;
    return false;
}

static void unwalked_scan(struct inspection *in)
{
    inspect_find(in, FINDING_INSPECT_INCOMPLETE, "named like a document and not readable as one");
}

/* One row a scanner; later rows may rely on nothing that earlier ones found. */
static const struct scanner scanners[] = {
    {"html", active_html_applies, active_html_scan},
    {"xml", active_xml_applies, active_xml_scan},
    {"css", active_css_applies, active_css_scan},
    {"markdown", active_markdown_applies, active_markdown_scan},
    {"notebook", active_notebook_applies, active_notebook_scan},
    {"mail", active_eml_applies, active_eml_scan},
    {"csv", active_csv_applies, active_csv_scan},
    {"pdf", active_pdf_applies, active_pdf_scan},
    {"text", active_text_applies, active_text_scan},
    {"pickle", active_pickle_applies, active_pickle_scan},
    {"png", image_png_applies, image_png_scan},
    {"jpeg", image_jpeg_applies, image_jpeg_scan},
    {"gif", image_gif_applies, image_gif_scan},
    {"webp", image_webp_applies, image_webp_scan},
    {"tiff", image_tiff_applies, image_tiff_scan},
    {"bmp", image_bmp_applies, image_bmp_scan},
    {"bmff", bmff_applies, bmff_scan},
    {"media", media_applies, media_scan},
    {"media playlist", media_playlist_applies, media_playlist_scan},
    {"npy", active_npy_applies, active_npy_scan},
    {"safetensors", active_safetensors_applies, active_safetensors_scan},
    {"model", active_model_applies, active_model_scan},
    {"serialized", active_serialized_applies, active_serialized_scan},
    {"parquet", active_parquet_applies, active_parquet_scan},
    {"arrow", active_arrow_applies, active_arrow_scan},
    {"data", active_data_applies, active_data_scan},
    {"unwalked", unwalked_applies, unwalked_scan},
};

void active_inspect(struct inspection *in)
{
    for (size_t i = 0; i < ARRAY_LEN(scanners); i++)
        if (scanners[i].applies(in))
            scanners[i].scan(in);
}
