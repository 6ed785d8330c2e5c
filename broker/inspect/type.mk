# SPDX-License-Identifier: ISC
# Sources of the type inspector, and of the scanners of programs, models and media: appended to libfirst.a.
libfirst_a_SOURCES += %D%/active.c \
    %D%/octets.h %D%/octet_run.c %D%/octet_run.h %D%/lanes.h %D%/type_inspect.c %D%/type_signature.c %D%/type_check.c %D%/type_check_media.c %D%/type_json.c %D%/type_linker.c %D%/type_markup.c %D%/type_name.c \
    %D%/type_name.h %D%/type_structure.c %D%/type_table.h %D%/type_text.c %D%/type_text.h %D%/type_xml.c \
    %D%/active_binary.h %D%/active_pickle.c %D%/active_pickle.h %D%/pickle.c %D%/pickle.h \
    %D%/bmff.c %D%/bmff.h %D%/image.c %D%/image.h %D%/image_meta.c %D%/image_meta.h %D%/image_bmp.c %D%/image_gif.c %D%/image_jpeg.c %D%/image_png.c \
    %D%/image_tiff.c %D%/image_webp.c %D%/media.c %D%/media_id3.c %D%/media_id3.h \
    %D%/active_data.c %D%/active_model.c %D%/active_npy.c %D%/active_safetensors.c %D%/active_serialized.c \
    %D%/find.c %D%/find.h
libfirst_a_SOURCES += %D%/shown.c %D%/shown.h %D%/span_list.c %D%/span_list.h \
    %D%/active_parquet.c %D%/parquet.h %D%/parquet_chunk.c %D%/parquet_codec.c %D%/parquet_delta.c %D%/parquet_footer.c \
    %D%/parquet_values.c %D%/snappy.c %D%/snappy.h %D%/thrift.c %D%/thrift.h \
    %D%/active_arrow.c %D%/arrow.h %D%/arrow_batch.c %D%/arrow_buffer.c %D%/arrow_schema.c %D%/flat.c %D%/flat.h
