/* basis.c: names and words of what a run's end rests on. */
#include "events/basis.h"

#include "base/format.h"
#include "events/events.h"

static const struct {
    const char *name, *words;
} rows[IA_BASIS_COUNT] = {
#define IA_BASIS_ROW(code, name, words) [code] = {name, words},
    IA_BASIS_LIST(IA_BASIS_ROW)
#undef IA_BASIS_ROW
};

const char *ia_basis_name(enum ia_basis basis)
{
    return rows[basis].name;
}

enum ia_basis ia_basis_from_name(struct ia_str name)
{
    for (int i = 0; i < IA_BASIS_COUNT; i++) {
        if (ia_str_is(name, rows[i].name)) {
            return (enum ia_basis)i;
        }
    }
    return IA_BASIS_NONE;
}

const char *ia_basis_words(enum ia_basis basis)
{
    return rows[basis].words;
}

static void put_count(struct ia_buf *out, int64_t n, const char *what)
{
    if (n > 0) {
        ia_buf_printf(out, ", %lld %s", (long long)n, what);
    }
}

void ia_replay_words(const struct ia_event_replay *r, double seconds, struct ia_buf *out)
{
    if (!r->has) {
        return;
    }
    ia_buf_printf(out, "replayed %lld of %lld step%s", (long long)r->replayed, (long long)r->of,
                  r->of == 1 ? "" : "s");
    ia_buf_puts(out, r->quarantined ? " of a recording in quarantine" : "");
    put_count(out, r->drifted, "drifted");
    put_count(out, r->healed, "healed");
    if (r->notes.n > 0) {
        ia_buf_printf(out, " (%.*s)", (int)r->notes.n, r->notes.p);
    }
    ia_buf_printf(out, ", %lld model call%s, ", (long long)r->requests,
                  r->requests == 1 ? "" : "s");
    ia_fmt_ms(out, (int64_t)(seconds * 1000.0 + 0.5));
}
