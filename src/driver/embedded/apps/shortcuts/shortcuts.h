/* shortcuts.h: the Shortcuts app: what it has, and running one. */
#ifndef IA_DRIVER_EMBEDDED_APPS_SHORTCUTS_SHORTCUTS_H
#define IA_DRIVER_EMBEDDED_APPS_SHORTCUTS_SHORTCUTS_H

#include "driver/embedded/ui/kit.h"
#include "driver/shortcut_steps.h"

extern const struct ia_app ia_app_shortcuts;

enum { IA_SHORTCUTS_MAX = 30 };

struct ia_shortcut_step {
    uint8_t kind; /* enum ia_shortcut_step_kind */
    char *text;   /* of TEXT; else NULL */
};
struct ia_shortcut {
    char *name;
    struct ia_shortcut_step steps[IA_SHORTCUT_STEPS_MAX];
    int count;
};
struct ia_shortcuts {
    struct ia_shortcut rows[IA_SHORTCUTS_MAX];
    int count;
    char *last,
        *result; /* the name of the last one that ran, and what it came to; NULL: none */
};

void *ia_shortcuts_new(uint64_t seed);
void ia_shortcuts_free(void *shortcuts);
void ia_shortcuts_json(const void *shortcuts, struct ia_jsonw *w);
const char *ia_shortcut_word(enum ia_shortcut_step_kind kind);
/* Whether it does something with what comes in. */
bool ia_shortcut_takes_input(const struct ia_shortcut *s);
struct ia_shortcut *ia_shortcuts_find(struct ia_shortcuts *s, const char *name);
/* Adds one from a property list, as an unsigned .shortcut file has it (WFWorkflowActions); one with
 * the same name is replaced. False: it has no step that is known, or there is no room. */
bool ia_shortcuts_import(struct ia_shortcuts *s, const char *name, struct ia_str plist);
/* Runs one; what it came to is in ->last and ->result. */
void ia_shortcuts_run(struct ia_phone *p, const struct ia_shortcut *s, const char *input);

struct ia_shortcuts *ia_shortcuts_of(struct ia_phone *p);
const struct ia_shortcuts *ia_shortcuts_of_const(const struct ia_phone *p);

#endif
