/* peers.c: names of linked phones, and their numbers. */
#include "driver/embedded/fault/peers.h"

#include "base/hash.h"
#include "driver/embedded/fault/impl.h"

#include <stdio.h>

void ia_peer_number(const char *name, char ret[IA_PEER_NUMBER_BYTES])
{
    uint64_t hash = ia_hash(IA_HASH_SEED, name, strlen(name));
    (void)snprintf(ret, IA_PEER_NUMBER_BYTES, "555-%07u", (unsigned)(hash % 10000000));
}

int ia_peers_find(const struct ia_peers *peers, struct ia_str name)
{
    for (int i = 0; i < peers->count; i++) {
        if (ia_str_is(name, peers->name[i])) {
            return i;
        }
    }
    return -1;
}

void ia_peers_remove(struct ia_peers *peers, const char *name)
{
    int i = ia_peers_find(peers, ia_str(name));
    if (i >= 0) {
        peers->count--;
        memmove(peers->name[i], peers->name[i + 1],
                (size_t)(peers->count - i) * sizeof(peers->name[0]));
    }
}

bool ia_peers_equal(const struct ia_peers *a, const struct ia_peers *b)
{
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; i++) {
        equal = strcmp(a->name[i], b->name[i]) == 0;
    }
    return equal;
}

void ia_peers_write(const struct ia_peers *peers, struct ia_buf *out)
{
    for (int i = 0; i < peers->count; i++) {
        ia_buf_printf(out, "%s%s", i > 0 ? "," : "", peers->name[i]);
    }
    ia_buf_puts(out, peers->count == 0 ? "none" : "");
}

bool ia_peer_name_ok(struct ia_str s)
{
    bool good = s.n >= 1 && s.n <= IA_PEER_NAME_MAX;
    for (size_t i = 0; good && i < s.n; i++) {
        good = s.p[i] && strchr("abcdefghijklmnopqrstuvwxyz0123456789-", s.p[i]);
    }
    return good;
}

/* Two phones with one number could not be told apart. */
static enum ia_rc add(struct ia_peers *all, struct ia_str name, struct ia_err *err)
{
    char number[IA_PEER_NUMBER_BYTES], other[IA_PEER_NUMBER_BYTES];
    if (!ia_peer_name_ok(name)) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "link=%.*s: not a name for a phone",
                                   (int)(name.n < 60 ? name.n : 60), name.p);
        ia_err_hint(err, "names of phones, separated by commas, as in link=alice,bob");
        return rc;
    }
    if (all->count == IA_PEERS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a phone is linked to at most %d others",
                          IA_PEERS_MAX);
    }
    char *added = all->name[all->count];
    (void)snprintf(added, sizeof(all->name[0]), "%.*s", (int)name.n, name.p);
    ia_peer_number(added, number);
    for (int i = 0; i < all->count; i++) {
        ia_peer_number(all->name[i], other);
        if (strcmp(other, number) == 0) {
            return ia_err_set(err, IA_E_USAGE, "link=: the phones \"%s\" and \"%s\" %s",
                              all->name[i], added,
                              strcmp(all->name[i], added) == 0 ? "are the same one"
                                                               : "would have the same number");
        }
    }
    all->count++;
    return IA_OK;
}

enum ia_rc ia_peers_parse(struct ia_str list, struct ia_peers *ret, struct ia_err *err)
{
    struct ia_peers all = {0};
    enum ia_rc rc = IA_OK;
    if (ia_str_is(list, "none")) {
        list.n = 0;
    }
    while (rc == IA_OK && list.n > 0) {
        rc = add(&all, ia_knob_cut(&list, ','), err);
    }
    if (rc == IA_OK) {
        *ret = all;
    }
    return rc;
}
