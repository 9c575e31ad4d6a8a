/* peers.c: which phones are linked, and their numbers. */
#include "driver/embedded/fault/peers.h"

#include "base/hash.h"
#include "driver/embedded/fault/impl.h"

#include <stdio.h>

void ia_peer_number(const char *name, char ret[IA_PEER_NUMBER_BYTES])
{
    uint64_t hash = ia_hash(IA_HASH_SEED, name, strlen(name));
    (void)snprintf(ret, IA_PEER_NUMBER_BYTES, "555-%07u", (unsigned)(hash % 10000000));
}

static bool is_name(struct ia_str s)
{
    bool good = s.n >= 1 && s.n <= IA_PEER_NAME_MAX;
    for (size_t i = 0; good && i < s.n; i++) {
        good = s.p[i] && strchr("abcdefghijklmnopqrstuvwxyz0123456789-", s.p[i]);
    }
    return good;
}

/* No two of them may be taken for one another. */
static enum ia_rc check_apart(const struct ia_peers *all, const char *name, struct ia_err *err)
{
    char number[IA_PEER_NUMBER_BYTES], other[IA_PEER_NUMBER_BYTES];
    ia_peer_number(name, number);
    for (int i = 0; i < all->count; i++) {
        ia_peer_number(all->name[i], other);
        if (strcmp(other, number) == 0) {
            return ia_err_set(err, IA_E_USAGE,
                              strcmp(all->name[i], name) == 0
                                  ? "link= names \"%s\" twice"
                                  : "the phones \"%s\" and \"%s\" would have the same number",
                              name, all->name[i]);
        }
    }
    return IA_OK;
}

enum ia_rc ia_peers_parse(struct ia_str list, struct ia_peers *ret, struct ia_err *err)
{
    struct ia_peers all = {0};
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && list.n > 0 && !ia_str_is(list, "none")) {
        struct ia_str part = ia_knob_cut(&list, ',');
        if (!is_name(part)) {
            rc = ia_err_set(err, IA_E_USAGE, "link=%.*s: that is not a name for a phone",
                            (int)(part.n < 60 ? part.n : 60), part.p);
            ia_err_hint(err, "names of phones, separated by commas, as in link=alice,bob");
            return rc;
        }
        if (all.count == IA_PEERS_MAX) {
            return ia_err_set(err, IA_E_USAGE, "a phone is linked to at most %d others",
                              IA_PEERS_MAX);
        }
        (void)snprintf(all.name[all.count], sizeof(all.name[0]), "%.*s", (int)part.n, part.p);
        rc = check_apart(&all, all.name[all.count], err);
        all.count++;
    }
    if (rc == IA_OK) {
        *ret = all;
    }
    return rc;
}
