/* read.c: events from JSON. Texts stay in jansson's document, which the event keeps; only the
 * arrays of lists are copied.
 *
 * Reading never fails on a member: one that is missing or of another type becomes the kind's
 * empty value, so that events of older and newer versions can be read. Only what is no
 * object, or of a type that is not known, is refused. */
#include "events/shapes.h"

#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* An array of a list, in a chain that the event owns. */
struct array {
    struct array *next;
    _Alignas(max_align_t) char items[];
};

static void read_fields(struct ia_event *e, const struct ia_event_shape *shape,
                        const json_t *from, void *to);

static void *new_array(struct ia_event *e, size_t n, size_t size)
{
    struct array *a = ia_calloc(1, sizeof(*a) + n * size); /* n is bounded by the document */
    a->next = e->lists;
    e->lists = a;
    return a->items;
}

static int64_t int_of(const json_t *v)
{
    double real = json_real_value(v);
    /* Converting a real beyond the range would be undefined. */
    bool fits = real > -9e18 && real < 9e18;
    return json_is_integer(v) ? (int64_t)json_integer_value(v) : fits ? (int64_t)real : 0;
}

static void read_list(struct ia_event *e, const struct ia_event_shape *shape,
                      const json_t *from, void *member)
{
    struct ia_event_setup_list *list = member; /* all lists begin alike */
    size_t n = json_array_size(from);
    char *items = n > 0 ? new_array(e, n, shape->size) : NULL;
    for (size_t i = 0; i < n; i++) {
        read_fields(e, shape, json_array_get(from, i), items + i * shape->size);
    }
    list->items = (const void *)items;
    list->n = n;
}

static void read_texts(struct ia_event *e, const json_t *from, struct ia_event_texts *texts)
{
    size_t n = json_array_size(from);
    struct ia_str *items = n > 0 ? new_array(e, n, sizeof(*items)) : NULL;
    for (size_t i = 0; i < n; i++) {
        items[i] = ia_json_str(json_array_get(from, i));
    }
    *texts = (struct ia_event_texts){items, n};
}

static void read_field(struct ia_event *e, const struct ia_event_field *f, json_t *v,
                       void *member)
{
    switch (f->kind) {
    case IA_EVENT_K_TEXT:
        *(struct ia_str *)member = ia_json_str(v);
        return;
    case IA_EVENT_K_INT:
        *(int64_t *)member = int_of(v);
        return;
    case IA_EVENT_K_NATURAL:
        *(int64_t *)member = json_is_integer(v) ? int_of(v) : -1;
        return;
    case IA_EVENT_K_REAL:
        *(double *)member = json_number_value(v);
        return;
    case IA_EVENT_K_BOOL:
        *(bool *)member = json_is_true(v);
        return;
    case IA_EVENT_K_COST:
        *(struct ia_event_cost *)member =
            (struct ia_event_cost){json_is_number(v), json_number_value(v)};
        return;
    case IA_EVENT_K_PART:
        read_fields(e, f->shape(), v, member);
        *(bool *)member = json_is_object(v);
        return;
    case IA_EVENT_K_LIST:
        read_list(e, f->shape(), v, member);
        return;
    case IA_EVENT_K_TEXTS:
        read_texts(e, v, member);
        return;
    case IA_EVENT_K_JSON:
        ((struct ia_event_json *)member)->value = v;
        return;
    case IA_EVENT_K_GROUP:
        return; /* see read_fields */
    }
}

static void read_fields(struct ia_event *e, const struct ia_event_shape *shape,
                        const json_t *from, void *to)
{
    for (size_t i = 0; i < shape->n; i++) {
        const struct ia_event_field *f = &shape->fields[i];
        char *member = (char *)to + f->at;
        /* A group has no object of its own: its members stand among the event's, and the first
         * tells whether it is there. */
        if (f->kind == IA_EVENT_K_GROUP) {
            const struct ia_event_shape *group = f->shape();
            read_fields(e, group, from, member);
            *(bool *)(void *)member = json_object_get(from, group->fields[0].key) != NULL;
        } else {
            read_field(e, f, json_object_get(from, f->key), member);
        }
    }
}

/* All members of the union begin where it does. */
static bool read_doc(struct ia_event *ret, enum ia_event_type type)
{
    ret->type = json_is_object(ret->doc) ? type : IA_EVENT_COUNT;
    if (ret->type < IA_EVENT_COUNT) {
        read_fields(ret, ia_event_infos[type].shape(), ret->doc, &ret->run_queued);
    }
    return ret->type < IA_EVENT_COUNT;
}

bool ia_event_read(struct ia_event *ret, struct ia_str json)
{
    return ia_event_take(ret, json_loadb(json.p, json.n, JSON_ALLOW_NUL, NULL));
}

bool ia_event_take(struct ia_event *ret, json_t *doc)
{
    *ret = (struct ia_event){.doc = doc};
    ret->seq = int_of(json_object_get(ret->doc, "seq"));
    ret->run = ia_json_field(ret->doc, "run");
    ret->ts = ia_json_field(ret->doc, "ts");
    return read_doc(ret,
                    ia_event_from_name(json_string_value(json_object_get(ret->doc, "event"))));
}

bool ia_event_read_body(struct ia_event *ret, enum ia_event_type type, struct ia_str json)
{
    *ret = (struct ia_event){.doc = json_loadb(json.p, json.n, JSON_ALLOW_NUL, NULL)};
    return read_doc(ret, type);
}

void ia_event_fini(struct ia_event *e)
{
    struct array *next = NULL;
    for (struct array *a = e->lists; a; a = next) {
        next = a->next;
        free(a);
    }
    json_decref(e->doc);
    *e = (struct ia_event){.type = IA_EVENT_COUNT};
}

const struct ia_event_start *ia_event_start(const struct ia_event *e)
{
    return e->type == IA_EVENT_RUN_STARTED   ? &e->run_started.start
           : e->type == IA_EVENT_RUN_RESUMED ? &e->run_resumed.start
                                             : NULL;
}

const struct ia_event_spent *ia_event_spent(const struct ia_event *e)
{
    const struct ia_event_spent *spent =
        e->type == IA_EVENT_REQUEST_FINISHED  ? &e->request_finished.spent
        : e->type == IA_EVENT_RUN_RETRY_WAIT  ? &e->run_retry_wait.spent
        : e->type == IA_EVENT_RUN_INTERRUPTED ? &e->run_interrupted.spent
                                              : NULL;
    return spent && spent->has ? spent : NULL;
}

const char *ia_event_text(struct ia_str text)
{
    return text.p ? text.p : "";
}
