/* commands.h: what is done with devices by commands of this process: the newest of them, and word of each
 * as it happens. In memory only: commands have no run that they could be stored with. */
#ifndef IA_SERVER_HUB_COMMANDS_H
#define IA_SERVER_HUB_COMMANDS_H

#include "base/clock.h"
#include "base/err.h"
#include "base/jsonw.h"

enum { IA_COMMANDS_KEPT = 500 };
#define IA_COMMAND_TEXT_BYTES_MAX ((size_t)2000) /* of its arguments, and of what it said */

struct ia_commands;
struct ia_commands *ia_commands_new(const struct ia_clock *clock); /* NULL: the system's */
void ia_commands_free(struct ia_commands *c);                      /* NULL is fine */

/* Who does what with which device. args is a JSON object, without what nobody may read. */
struct ia_command_begin {
    const char *device, *verb, *actor;
    struct ia_str args;
};
/* Returns its number, from 1. Any thread, as all below. */
int64_t ia_commands_begin(struct ia_commands *c, const struct ia_command_begin *begin);
/* What came of it. args: as they may be shown now; empty: as they were. */
struct ia_command_end {
    enum ia_rc code;
    struct ia_str args, text; /* what it printed, or why it failed */
    const char *element; /* the one that it acted on, as a line of a snapshot; NULL: none */
};
void ia_commands_end(struct ia_commands *c, int64_t n, const struct ia_command_end *end);

/* Writes an array, newest first, of at most `limit` of one device (NULL: of all). A command is {"n",
 * "at","device","verb","args","actor","state":"started"|"done","ms"|null,"code"|null,"text"|null,
 * "element"|null}. */
void ia_commands_list(struct ia_commands *c, const char *device, int limit, struct ia_jsonw *w);

/* Hears of each when it begins and when it is done, as that object; must return at once. Before the first
 * command; NULL: nobody. */
typedef void ia_commands_fn(void *ctx, const char *device, struct ia_str json);
void ia_commands_listen(struct ia_commands *c, ia_commands_fn *fn, void *ctx);

#endif
