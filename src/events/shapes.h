/* shapes.h: the lists of list.h as tables, for the writer, the reader and the schema. */
#ifndef IA_EVENTS_SHAPES_H
#define IA_EVENTS_SHAPES_H

#include "events/events.h"

enum ia_event_kind {
    IA_EVENT_K_TEXT,
    IA_EVENT_K_INT,
    IA_EVENT_K_NATURAL,
    IA_EVENT_K_REAL,
    IA_EVENT_K_BOOL,
    IA_EVENT_K_COST,
    IA_EVENT_K_PART,
    IA_EVENT_K_GROUP,
    IA_EVENT_K_LIST,
    IA_EVENT_K_TEXTS,
    IA_EVENT_K_JSON
};
enum ia_event_presence { IA_EVENT_P_ALWAYS, IA_EVENT_P_NULLABLE, IA_EVENT_P_OPTIONAL };

struct ia_event_field {
    const char *key;
    enum ia_event_kind kind;
    enum ia_event_presence presence;
    size_t at;                                   /* offset in the struct */
    const struct ia_event_shape *(*shape)(void); /* of a PART, GROUP or LIST */
    const char *what;
};

struct ia_event_shape {
    const char *tag;
    size_t size; /* of the struct */
    const struct ia_event_field *fields;
    size_t n;
};

enum ia_event_where { IA_EVENT_W_COMMITTED, IA_EVENT_W_LIVE, IA_EVENT_W_BARE };
struct ia_event_info {
    const char *name;
    enum ia_event_where where;
    const char *writers, *readers, *what;
    const struct ia_event_shape *(*shape)(void);
};
const struct ia_event_shape *ia_event_part_shape(enum ia_event_part part);
extern const struct ia_event_info ia_event_infos[IA_EVENT_COUNT];

#endif
