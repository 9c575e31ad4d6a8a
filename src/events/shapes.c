/* shapes.c: the tables that follow from list.h. Each table is local to a function of its own,
 * because a row names its member only: S is the struct whose rows are being listed. */
#include "events/shapes.h"

#include <string.h>

#define NO_SHAPE(member) NULL
#define SHAPE_TEXT NO_SHAPE
#define SHAPE_INT NO_SHAPE
#define SHAPE_NATURAL NO_SHAPE
#define SHAPE_REAL NO_SHAPE
#define SHAPE_BOOL NO_SHAPE
#define SHAPE_COST NO_SHAPE
#define SHAPE_TEXTS NO_SHAPE
#define SHAPE_JSON NO_SHAPE
#define SHAPE_PART(member) shape_##member
#define SHAPE_GROUP(member) shape_##member
#define SHAPE_LIST(member) shape_##member

#define ROW(kind, presence, member, key, what)                                                 \
    {key, IA_EVENT_K_##kind, IA_EVENT_P_##presence, offsetof(S, member), SHAPE_##kind(member), \
     what},

#define SHAPE(ID, tag)                                                                         \
    static const struct ia_event_shape *shape_##tag(void)                                      \
    {                                                                                          \
        typedef struct ia_event_##tag S;                                                       \
        static const struct ia_event_field fields[] = {IA_FIELDS_##ID(ROW)};                   \
        static const struct ia_event_shape shape = {#tag, sizeof(S), fields,                   \
                                                    IA_COUNTOF(fields)};                       \
        return &shape;                                                                         \
    }
#define EVENT_SHAPE(ID, tag, name, where, writers, readers, what) SHAPE(ID, tag)
IA_EVENT_PART_LIST(SHAPE)
IA_EVENT_LIST(EVENT_SHAPE)

#define INFO(ID, tag, name, where, writers, readers, what)                                     \
    {name, IA_EVENT_W_##where, writers, readers, what, shape_##tag},
const struct ia_event_info ia_event_infos[IA_EVENT_COUNT] = {IA_EVENT_LIST(INFO)};

const struct ia_event_shape *ia_event_part_shape(enum ia_event_part part)
{
#define PART_SHAPE(ID, tag) shape_##tag,
    static const struct ia_event_shape *(*const all[])(void) = {IA_EVENT_PART_LIST(PART_SHAPE)};
    return all[part]();
}

const char *ia_event_name(enum ia_event_type type)
{
    return type < IA_EVENT_COUNT ? ia_event_infos[type].name : "";
}

enum ia_event_type ia_event_from_name(const char *name)
{
    int i = 0;
    while (i < IA_EVENT_COUNT && (!name || ia_event_infos[i].where == IA_EVENT_W_BARE ||
                                  strcmp(name, ia_event_infos[i].name) != 0)) {
        i++;
    }
    return (enum ia_event_type)i;
}
