/* secret_fields.h: which fields hold what is left of a secret. Private to src/agent/secrets.
 *
 * What was typed may be edited: then it is no longer the value, and no search finds it. So a field is
 * marked when a secret is typed into it or is seen in it, and its mark stays until the field is seen
 * empty, or is gone and comes back with something else. One thread. */
#ifndef IA_AGENT_SECRETS_SECRET_FIELDS_H
#define IA_AGENT_SECRETS_SECRET_FIELDS_H

#include "base/err.h"
#include "driver/tree.h"

enum { IA_SECRET_FIELDS_MAX = 64 };

/* What tells a field from others, in the app that it belongs to. */
struct ia_secret_field {
    char *app, *identifier, *label; /* NULL: it has none */
    struct ia_rect frame;           /* where it was seen last */
    uint16_t type;
    bool filled; /* it was seen with something in it since it was marked */
    bool empty;  /* in the last tree */
    bool gone;   /* it was not in the last tree */
};

struct ia_secret_fields {
    struct ia_secret_field items[IA_SECRET_FIELDS_MAX];
    size_t count;
    struct ia_secret_field focused; /* of the last tree; type 0: none had the focus */
    /* Whether a field's value looks like a secret, or like what is left of one: `closely` for few
     * characters, which ordinary texts may have too. */
    bool (*like)(void *ctx, const char *value, bool closely);
    void *ctx;
    bool resumed; /* another process may have typed secrets: `closely` at the first look */
};

void ia_secret_fields_fini(struct ia_secret_fields *f);

/* Looks at a tree as the device gives it: marks what looks like a secret, and takes marks away. */
void ia_secret_fields_look(struct ia_secret_fields *f, const struct ia_tree *t);

/* Before text is typed into what has the focus. A secret marks it, IA_E_LIMIT where no more can be
 * marked; other text ends the mark of a field that is empty. */
enum ia_rc ia_secret_fields_typing(struct ia_secret_fields *f, bool secret, struct ia_err *err);

/* Whether the node, of the tree looked at last, is a marked field with something in it. */
bool ia_secret_fields_has(const struct ia_secret_fields *f, const struct ia_tree *t,
                          const struct ia_node *n);

#endif
