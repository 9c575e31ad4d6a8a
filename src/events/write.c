/* write.c: events to JSON, straight into the buffer: every word of the model that people watch
 * comes through here. */
#include "base/clock.h"
#include "events/shapes.h"

#include <jansson.h>
#include <stdlib.h>

static void put_fields(struct ia_jsonw *w, const struct ia_event_shape *shape,
                       const void *from);

static void put_object(struct ia_jsonw *w, const struct ia_event_shape *shape, const void *from)
{
    ia_jsonw_object(w);
    put_fields(w, shape, from);
    ia_jsonw_end_object(w);
}

/* All lists begin with the same two members, whatever their items are. */
static void put_list(struct ia_jsonw *w, const struct ia_event_shape *shape, const void *member)
{
    const struct ia_event_setup_list *list = member;
    /* A list that came as JSON goes on as it is. */
    if (list->json.p) {
        ia_jsonw_raw(w, list->json);
        return;
    }
    ia_jsonw_array(w);
    for (size_t i = 0; i < list->n; i++) {
        put_object(w, shape, (const char *)list->items + i * shape->size);
    }
    ia_jsonw_end_array(w);
}

static void put_texts(struct ia_jsonw *w, const struct ia_event_texts *texts)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < texts->n; i++) {
        ia_jsonw_str(w, texts->items[i]);
    }
    ia_jsonw_end_array(w);
}

/* A writer has the text, an event that was read has the value. */
static void put_json(struct ia_jsonw *w, const struct ia_event_json *json)
{
    char *text = json->text.p ? NULL : json_dumps(json->value, JSON_COMPACT | JSON_ENCODE_ANY);
    ia_jsonw_raw(w, text ? ia_str(text) : json->text);
    free(text);
}

static void put_value(struct ia_jsonw *w, const struct ia_event_field *f, const void *member)
{
    switch (f->kind) {
    case IA_EVENT_K_TEXT:
        ia_jsonw_str(w, *(const struct ia_str *)member);
        return;
    case IA_EVENT_K_INT:
    case IA_EVENT_K_NATURAL:
        ia_jsonw_int(w, *(const int64_t *)member);
        return;
    case IA_EVENT_K_REAL:
        ia_jsonw_real(w, *(const double *)member);
        return;
    case IA_EVENT_K_BOOL:
        ia_jsonw_bool(w, *(const bool *)member);
        return;
    case IA_EVENT_K_COST:
        ia_jsonw_real(w, ((const struct ia_event_cost *)member)->usd);
        return;
    case IA_EVENT_K_PART:
        put_object(w, f->shape(), member);
        return;
    case IA_EVENT_K_LIST:
        put_list(w, f->shape(), member);
        return;
    case IA_EVENT_K_TEXTS:
        put_texts(w, member);
        return;
    case IA_EVENT_K_JSON:
        put_json(w, member);
        return;
    case IA_EVENT_K_GROUP:
        return; /* has no key, so it never comes here */
    }
}

static bool has_value(const struct ia_event_field *f, const void *member)
{
    switch (f->kind) {
    case IA_EVENT_K_TEXT:
        return ((const struct ia_str *)member)->p != NULL;
    case IA_EVENT_K_INT:
        return *(const int64_t *)member != 0;
    case IA_EVENT_K_NATURAL:
        return *(const int64_t *)member >= 0;
    case IA_EVENT_K_COST:
        return ((const struct ia_event_cost *)member)->known;
    case IA_EVENT_K_PART:
    case IA_EVENT_K_GROUP:
        return *(const bool *)member; /* `has`, the first member of every part */
    case IA_EVENT_K_JSON:
        return ((const struct ia_event_json *)member)->text.p != NULL ||
               ((const struct ia_event_json *)member)->value != NULL;
    case IA_EVENT_K_BOOL:
        return *(const bool *)member;
    case IA_EVENT_K_TEXTS:
        return ((const struct ia_event_texts *)member)->n > 0;
    default:
        return true;
    }
}

static void put_fields(struct ia_jsonw *w, const struct ia_event_shape *shape, const void *from)
{
    for (size_t i = 0; i < shape->n; i++) {
        const struct ia_event_field *f = &shape->fields[i];
        const void *member = (const char *)from + f->at;
        bool has = f->presence == IA_EVENT_P_ALWAYS || has_value(f, member);
        /* Optional members are left out, the others are null. */
        if (!has && f->presence == IA_EVENT_P_OPTIONAL) {
            continue;
        }
        if (f->kind == IA_EVENT_K_GROUP) {
            put_fields(w, f->shape(), member);
            continue;
        }
        ia_jsonw_key(w, f->key);
        if (has) {
            put_value(w, f, member);
        } else {
            ia_jsonw_null(w);
        }
    }
}

void ia_event_put_fields(struct ia_jsonw *w, struct ia_event_ref e)
{
    put_fields(w, ia_event_infos[e.type].shape(), e.fields);
}

void ia_event_write_body(struct ia_buf *out, struct ia_event_ref e)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    put_object(&w, ia_event_infos[e.type].shape(), e.fields);
}

void ia_event_write_part(struct ia_buf *out, struct ia_event_part_ref part)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    put_object(&w, ia_event_part_shape(part.part), part.fields);
}

void ia_event_write(struct ia_buf *out, struct ia_event_ref e,
                    const struct ia_event_envelope *envelope)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "event", ia_event_name(e.type));
    if (envelope) {
        char iso[IA_ISO_SIZE];
        ia_iso_format(envelope->ts_ms, iso);
        ia_jsonw_kv_int(&w, "seq", envelope->seq);
        ia_jsonw_kv(&w, "ts", iso);
        ia_jsonw_kv(&w, "run", envelope->run_id);
    }
    ia_event_put_fields(&w, e);
    ia_jsonw_end_object(&w);
}
