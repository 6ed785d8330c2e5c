/* SPDX-License-Identifier: ISC
 * Harness for the scanners of active_binary.h. The first byte of an input chooses one and the claim that it works on, so
 * that no signature has to be found; the rest is the content. Each ends within its bounds, stays inside the bytes, says
 * what it says in a few findings, and says the same however the bytes are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

static const struct {
    enum type type;
    bool (*applies)(const struct inspection *in);
    void (*scan)(struct inspection *in);
} scanners[] = {
    {TYPE_PNG, image_png_applies, image_png_scan},
    {TYPE_JPEG, image_jpeg_applies, image_jpeg_scan},
    {TYPE_GIF, image_gif_applies, image_gif_scan},
    {TYPE_WEBP, image_webp_applies, image_webp_scan},
    {TYPE_TIFF, image_tiff_applies, image_tiff_scan},
    {TYPE_BMP, image_bmp_applies, image_bmp_scan},
    {TYPE_ICO, image_bmp_applies, image_bmp_scan},
    {TYPE_MP4, bmff_applies, bmff_scan},
    {TYPE_WAV, media_applies, media_scan},
    {TYPE_OGG, media_applies, media_scan},
    {TYPE_MP3, media_applies, media_scan},
    {TYPE_WEBM, media_applies, media_scan},
    {TYPE_WOFF, media_applies, media_scan},
    {TYPE_TTF, media_applies, media_scan},
    {TYPE_OGG, media_playlist_applies, media_playlist_scan},
    {TYPE_NPY, active_npy_applies, active_npy_scan},
    {TYPE_SAFETENSORS, active_safetensors_applies, active_safetensors_scan},
    {TYPE_GGUF, active_model_applies, active_model_scan},
    {TYPE_ONNX, active_model_applies, active_model_scan},
    {TYPE_YAML, active_serialized_applies, active_serialized_scan},
    {TYPE_BINARY, active_serialized_applies, active_serialized_scan},
    {TYPE_PARQUET, active_parquet_applies, active_parquet_scan},
    {TYPE_ARROW, active_arrow_applies, active_arrow_scan},
    {TYPE_SQLITE, active_data_applies, active_data_scan},
    {TYPE_PCAP, active_data_applies, active_data_scan},
    {TYPE_EVTX, active_data_applies, active_data_scan},
    {TYPE_EML, active_data_applies, active_data_scan},
    {TYPE_PICKLE, active_pickle_applies, active_pickle_scan},
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void look(size_t which, struct bytes *bytes, struct sink_list *list)
{
    static const char *const types[] = {"passive", NULL};
    struct task task;
    struct inspection in;
    sink_task(&task, "x", types);
    sink_list_init(list);
    inspection_init(&in, bytes, &task, &list->budget, &list->sink);
    claims_add(&in.claims, scanners[which].type, EVIDENCE_HEAD);
    if (scanners[which].applies(&in))
        scanners[which].scan(&in);
    require(list->findings.n <= 8);
    for (size_t i = 0; i < list->findings.n; i++)
        require(list->findings.v[i].offset <= bytes->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes memory, file;
    struct sink_list first, second;
    if (size < 1)
        return 0;
    size_t which = data[0] % ARRAY_LEN(scanners);
    bytes_init_memory(&memory, data + 1, size - 1);
    look(which, &memory, &first);
    FILE *f = tmpfile();
    require(f && fwrite(data, 1, size, f) == size && fflush(f) == 0);
    bytes_init_fd(&file, fileno(f), 1, size - 1);
    look(which, &file, &second);
    require(first.findings.n == second.findings.n);
    for (size_t i = 0; i < first.findings.n; i++)
        require(first.findings.v[i].code == second.findings.v[i].code &&
                first.findings.v[i].offset == second.findings.v[i].offset);
    bytes_free(&file);
    fclose(f);
    sink_list_free(&first);
    sink_list_free(&second);
    return 0;
}
