/* signature_changes.c: what an action led to, as another run can look for it. */
#include "driver/snapshot/signature.h"

#include "driver/snapshot/model.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/signature_impl.h"

#include <string.h>

enum { TEXT_MAX = 120, SELECTOR_BYTES = 1024 };

static bool is_short(const char *text)
{
    return !text || strlen(text) <= TEXT_MAX;
}

const char *ia_signature_state(const struct ia_element *e)
{
    return e->on == IA_ON    ? "on"
           : e->on == IA_OFF ? "off"
           : e->value        ? e->value
           : e->selected     ? "selected"
                             : NULL;
}

static const char *state_of(const struct ia_element *e)
{
    return e->role == IA_ROLE_SECURE || !is_short(e->value) ? NULL : ia_signature_state(e);
}

static bool seen(const struct ia_element *e)
{
    return e && e->listed && e->reach != IA_REACH_OFFSCREEN && e->reach != IA_REACH_COVERED;
}

/* What it finds before: then finding it later proves nothing, and of several it may find another one. */
static size_t count_in(const struct ia_snapshot *before, const struct ia_buf *selector)
{
    struct ia_selector sel;
    size_t at, found = SIZE_MAX;
    if (ia_selector_parse(ia_buf_str(selector), &sel, &at, NULL) == IA_OK) {
        found = ia_snapshot_count_matches(before, &sel);
        ia_selector_fini(&sel);
    }
    return found;
}

/* As the field of a form does that a list of choices has left. */
static bool says_choice(const char *value, const struct ia_element *chosen)
{
    return value && chosen && chosen->label && !ia_sign_has_digits(value) &&
           ia_phrase_has(chosen->label, value);
}

void ia_signature_changes(const struct ia_snapshot *before, const struct ia_snapshot *after,
                          uint32_t acted, size_t max,
                          void (*tell)(void *ctx, struct ia_str selector, const char *value),
                          void *ctx)
{
    struct ia_buf selector = IA_BUF(SELECTOR_BYTES);
    const struct ia_element *chosen = ia_snapshot_by_ref(before, acted);
    for (size_t i = 0, told = 0; i < after->count && told < max; i++) {
        const struct ia_element *e = &after->elements[i];
        const struct ia_element *was = ia_snapshot_by_ref(before, e->ref);
        const char *now = state_of(e), *then = was ? state_of(was) : NULL;
        bool appeared = !seen(was);
        bool differs = !appeared && now && (!then || strcmp(now, then) != 0);
        ia_buf_reset(&selector);
        if (seen(e) && is_short(e->label) && (appeared || differs) &&
            ia_signature_selector(after, e, &selector) &&
            count_in(before, &selector) <= (appeared ? 0 : 1)) {
            tell(ctx, ia_buf_str(&selector),
                 appeared && !says_choice(now, chosen) ? NULL : now);
            told++;
        }
    }
    ia_buf_fini(&selector);
}
