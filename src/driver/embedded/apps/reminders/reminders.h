/* reminders.h: the Reminders app and what it keeps. */
#ifndef IA_DRIVER_EMBEDDED_APPS_REMINDERS_REMINDERS_H
#define IA_DRIVER_EMBEDDED_APPS_REMINDERS_REMINDERS_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_reminders;

enum {
    IA_REMINDERS_FIELD_SEARCH,
    IA_REMINDERS_FIELD_TITLE,
    IA_REMINDERS_FIELD_NOTES,
    IA_REMINDERS_FIELD_LIST,
    IA_REMINDERS_FIELD_COUNT
};

enum { IA_REMINDERS_MAX = 300, IA_REMINDER_LISTS_MAX = 20 };

struct ia_reminder {
    int32_t id, list; /* never 0, never reused */
    int32_t due;      /* day since 1970, 0: none */
    bool done;
    bool hidden; /* deleted, but not for good: see the planted bug */
    char *title, *notes;
};

struct ia_reminder_list {
    int32_t id;
    char *name;
};

/* What the app keeps. Rows stand in the order in which they were added. */
struct ia_reminders {
    struct ia_reminder *rows;
    struct ia_reminder_list lists[IA_REMINDER_LISTS_MAX];
    int count, list_count;
    int32_t next_id;
};

struct ia_reminders *ia_reminders_new(void);
void ia_reminders_free(struct ia_reminders *r);
void ia_reminders_json(const void *reminders, struct ia_jsonw *w);

/* Lists that are no list but a choice of all reminders; they stand where a list's id does. */
enum { IA_REMINDERS_TODAY = -1, IA_REMINDERS_ALL = -2, IA_REMINDERS_DONE = -3 };

/* The members of one; the caller opens and closes the object. */
void ia_reminder_json(const struct ia_reminders *r, const struct ia_reminder *row,
                      struct ia_jsonw *w);

struct ia_reminder *ia_reminders_find(struct ia_reminders *r, int32_t id);
const struct ia_reminder_list *ia_reminders_list(const struct ia_reminders *r, int32_t id);
/* Whether a reminder stands in that list (or choice) on that day. */
bool ia_reminders_in(const struct ia_reminder *row, int32_t list, int32_t today);
/* How many of them are to be done; of IA_REMINDERS_DONE how many are done. */
int ia_reminders_open(const struct ia_reminders *r, int32_t list, int32_t today);
/* Adds (id 0) or changes a reminder, copying the texts without spaces around them. False when
 * there is no room. */
bool ia_reminders_put(struct ia_reminders *r, const struct ia_reminder *from);
void ia_reminders_remove(struct ia_reminders *r, int32_t id);
/* Adds a list; its id, or 0 when there is no room. */
int32_t ia_reminders_add_list(struct ia_reminders *r, const char *name);
/* Takes hidden reminders away for good, or brings them back. */
void ia_reminders_sweep(struct ia_reminders *r, bool back);

/* Of the screens (reminders.c, sheets.c). */
extern const struct ia_screen ia_reminders_sheet, ia_reminders_list_sheet;
struct ia_reminders *ia_reminders_of(struct ia_phone *p);
const struct ia_reminders *ia_reminders_of_const(const struct ia_phone *p);
/* Presents the sheet for a new reminder (id 0) in a list, or for one that is there. */
void ia_reminders_edit(struct ia_phone *p, int32_t id, int32_t list);
void ia_reminders_edit_list(struct ia_phone *p);

#endif
