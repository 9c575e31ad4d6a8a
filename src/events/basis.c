/* basis.c: names and words of what a run's end rests on. */
#include "events/basis.h"

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
