/* events.h: what happens to a run, as typed structs that are written to JSON and read back.
 *
 * The store appends events to its log and the agent shows them to observers; everybody else (a
 * resumed run, reports, views, scripts that read `run --events`) learns from them what a run did.
 * list.h has them all. They lie below the store, because the store writes seven of them itself.
 *
 *     struct ia_event_verifier_result result = {.agrees = true, .reason = ia_str("…")};
 *     ia_tx_add_event(tx, run_id, IA_EVENT(&result), NULL);
 *
 *     struct ia_event e;
 *     if (ia_event_read(&e, json) && e.type == IA_EVENT_VERIFIER_RESULT) {
 *         use(e.verifier_result.reason);
 *     }
 *     ia_event_fini(&e);
 *
 * The struct decides the type, so that a name, a field or a type that is not in the list does not
 * compile. Texts are borrowed: a writer's until the call returns, a reader's until ia_event_fini;
 * a reader's text ends with a NUL. Any thread. */
#ifndef IA_EVENTS_EVENTS_H
#define IA_EVENTS_EVENTS_H

#include "base/jsonw.h"
#include "events/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

/* The values of those kinds that need more than one word. */
struct ia_event_cost {
    bool known;
    double usd;
};
/* A writer gives the text, which is one JSON value and is written unchanged; a reader gets the
 * value, which is written where there is no text. */
struct ia_event_json {
    struct ia_str text;
    struct json_t *value;
};
struct ia_event_texts {
    const struct ia_str *items;
    size_t n;
};

#define IA_EVENT_C_TEXT(member) struct ia_str member;
#define IA_EVENT_C_INT(member) int64_t member;
#define IA_EVENT_C_NATURAL(member) int64_t member;
#define IA_EVENT_C_REAL(member) double member;
#define IA_EVENT_C_BOOL(member) bool member;
#define IA_EVENT_C_COST(member) struct ia_event_cost member;
#define IA_EVENT_C_PART(member) struct ia_event_##member member;
#define IA_EVENT_C_GROUP(member) struct ia_event_##member member;
#define IA_EVENT_C_LIST(member) struct ia_event_##member##_list member;
#define IA_EVENT_C_TEXTS(member) struct ia_event_texts member;
#define IA_EVENT_C_JSON(member) struct ia_event_json member;
#define IA_EVENT_MEMBER(kind, presence, member, key, what) IA_EVENT_C_##kind(member)

/* struct ia_event_device and so on. `has` matters where a part is NULLABLE or OPTIONAL. A list may
 * also be written from its JSON, one array, when it was checked already. */
#define IA_EVENT_PART_STRUCT(ID, tag)                                                          \
    struct ia_event_##tag {                                                                    \
        bool has;                                                                              \
        IA_FIELDS_##ID(IA_EVENT_MEMBER)                                                        \
    };                                                                                         \
    struct ia_event_##tag##_list {                                                             \
        const struct ia_event_##tag *items;                                                    \
        size_t n;                                                                              \
        struct ia_str json;                                                                    \
    };
IA_EVENT_PART_LIST(IA_EVENT_PART_STRUCT)

enum ia_event_part {
#define IA_EVENT_PART_ENUM(ID, tag) IA_EVENT_PART_##ID,
    IA_EVENT_PART_LIST(IA_EVENT_PART_ENUM) IA_EVENT_PART_COUNT
};

/* struct ia_event_run_started and so on. */
#define IA_EVENT_STRUCT(ID, tag, name, where, writers, readers, what)                          \
    struct ia_event_##tag {                                                                    \
        IA_FIELDS_##ID(IA_EVENT_MEMBER)                                                        \
    };
IA_EVENT_LIST(IA_EVENT_STRUCT)

/* IA_EVENT_RUN_STARTED and so on; IA_EVENT_COUNT stands for one that is not known. */
enum ia_event_type {
#define IA_EVENT_ENUM(ID, tag, name, where, writers, readers, what) IA_EVENT_##ID,
    IA_EVENT_LIST(IA_EVENT_ENUM) IA_EVENT_COUNT
};

/* "run.started"; "" for IA_EVENT_COUNT. */
const char *ia_event_name(enum ia_event_type type);
/* The event of a run with that name, or IA_EVENT_COUNT; NULL has none. */
enum ia_event_type ia_event_from_name(const char *name);

/* ---- writing ----------------------------------------------------------------------------- */

/* An event on its way to be written. Borrowed. Made by IA_EVENT only. */
struct ia_event_ref {
    enum ia_event_type type;
    const void *fields; /* NULL: none */
};
#define IA_EVENT_NONE ((struct ia_event_ref){IA_EVENT_COUNT, NULL})
/* From a pointer to one of the structs, which may be a compound literal. */
#define IA_EVENT(...) ((struct ia_event_ref){IA_EVENT_TYPE_OF(__VA_ARGS__), __VA_ARGS__})
#define IA_EVENT_TYPE_OF(...) _Generic(*(__VA_ARGS__)IA_EVENT_LIST(IA_EVENT_GENERIC))
#define IA_EVENT_GENERIC(ID, tag, name, where, writers, readers, what)                         \
    , struct ia_event_##tag : IA_EVENT_##ID

struct ia_event_envelope {
    const char *run_id;
    int64_t seq; /* 0: live */
    int64_t ts_ms;
};
/* Appends {"event","seq","ts","run", then the event's own fields}; without an envelope only the
 * name goes before them. */
void ia_event_write(struct ia_buf *out, struct ia_event_ref e,
                    const struct ia_event_envelope *envelope);
/* Appends the fields alone, as an object. */
void ia_event_write_body(struct ia_buf *out, struct ia_event_ref e);
/* Writes the fields into an object that is open. */
void ia_event_put_fields(struct ia_jsonw *w, struct ia_event_ref e);

/* A part on its own, which columns of the store hold too: IA_EVENT_PART(&device). */
struct ia_event_part_ref {
    enum ia_event_part part;
    const void *fields;
};
#define IA_EVENT_PART(...)                                                                     \
    ((struct ia_event_part_ref){                                                               \
        _Generic(*(__VA_ARGS__)IA_EVENT_PART_LIST(IA_EVENT_PART_GENERIC)), __VA_ARGS__})
#define IA_EVENT_PART_GENERIC(ID, tag) , struct ia_event_##tag : IA_EVENT_PART_##ID
void ia_event_write_part(struct ia_buf *out, struct ia_event_part_ref part);

/* ---- reading ----------------------------------------------------------------------------- */

/* One event. Members of the union other than its type's must not be touched. */
struct ia_event {
    enum ia_event_type type;
    int64_t seq;
    struct ia_str run, ts;
    union {
#define IA_EVENT_UNION(ID, tag, name, where, writers, readers, what) struct ia_event_##tag tag;
        IA_EVENT_LIST(IA_EVENT_UNION)
    };
    struct json_t *doc;
    void *lists; /* arrays of LIST and TEXTS members */
};
/* Reads an event with its envelope. What is absent or of another JSON type, as in events of older
 * versions, reads as nothing: no text, 0, false, `has` false. False for what is no object or of
 * an unknown type; then type is IA_EVENT_COUNT. Free with ia_event_fini in any case. */
bool ia_event_read(struct ia_event *ret, struct ia_str json);
/* The same of a document that was parsed; takes over the reference to doc, which may be NULL. */
bool ia_event_take(struct ia_event *ret, struct json_t *doc);
/* The same from what ia_event_write_body wrote. */
bool ia_event_read_body(struct ia_event *ret, enum ia_event_type type, struct ia_str json);
void ia_event_fini(struct ia_event *e);

/* What run.started and run.resumed have in common; NULL for another event. */
const struct ia_event_start *ia_event_start(const struct ia_event *e);
/* What the run has spent by then; NULL where the event does not say. */
const struct ia_event_spent *ia_event_spent(const struct ia_event *e);
/* The text of a reader's member as a C string, "" for none. */
const char *ia_event_text(struct ia_str text);

#endif
