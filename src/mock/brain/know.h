/* know.h: what the demo brain knows of phones: the names of apps and settings, and what people
 * call them. Where a setting is, it finds out by searching. Pure. */
#ifndef IA_MOCK_BRAIN_KNOW_H
#define IA_MOCK_BRAIN_KNOW_H

#include "base/base.h"

struct ia_known_app {
    const char *name, *bundle;
    const char *also;  /* other names, separated by | */
    const char *first; /* titles of its first page, separated by |; NULL: not known */
};

struct ia_known_setting {
    const char *label;
    const char *also;
    const char *page; /* that it is on, where no search finds it by its label; NULL */
};

/* By name or another name; NULL for none. */
const struct ia_known_app *ia_known_app(struct ia_str name);
const struct ia_known_app *ia_known_bundle(const char *bundle);
const struct ia_known_setting *ia_known_setting(struct ia_str name);
/* True when one of the texts in list (separated by |) has the words of s. */
bool ia_known_in(const char *list, struct ia_str s);

#endif
