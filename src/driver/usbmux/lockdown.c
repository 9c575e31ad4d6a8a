/* lockdown.c: asks a child process what an iPhone says of itself. */
#include "driver/usbmux/lockdown.h"

#include "base/clock.h"
#include "base/platform.h"
#include "base/spawn.h"
#include "base/textfold.h"
#include "json/json.h"

#include <jansson.h>
#include <pthread.h>
#include <string.h>

enum {
    OUTPUT_MAX = 64 << 10,
    PROGRAM_MAX = 4096,
    FOLDED_MAX = 4096,
    SETTLED_US = 300 * 1000000,
    UNSETTLED_US = 5 * 1000000
};

static const char *const trust_words[] = {
#define WORD(value, word) word,
    IA_LOCKDOWN_TRUST_LIST(WORD)
#undef WORD
};

const char *ia_lockdown_trust_word(enum ia_lockdown_trust t)
{
    return trust_words[t];
}

static enum ia_lockdown_trust trust_of(const char *word)
{
    size_t i = 0;
    while (i < IA_COUNTOF(trust_words) && strcmp(trust_words[i], word) != 0) {
        i++;
    }
    return i < IA_COUNTOF(trust_words) ? (enum ia_lockdown_trust)i : IA_TRUST_UNKNOWN;
}

static enum ia_lockdown_flag flag(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_true(v)    ? IA_LOCKDOWN_YES
           : json_is_false(v) ? IA_LOCKDOWN_NO
                              : IA_LOCKDOWN_UNKNOWN;
}

/* Until the text ends or is no longer JSON: a child that was ended says nothing. */
static void read_answer(struct ia_str text, struct ia_lockdown *ret)
{
    json_t *o = ia_json_depth_ok(text, 8) ? json_loadb(text.p, text.n, 0, NULL) : NULL;
    (void)ia_json_copy(o, "name", ret->name, sizeof(ret->name));
    (void)ia_json_copy(o, "version", ret->version, sizeof(ret->version));
    (void)ia_json_copy(o, "type", ret->type, sizeof(ret->type));
    if (ret->trust == IA_TRUST_UNKNOWN) {
        ret->trust = trust_of(ia_json_text(o, "trust"));
    }
    ret->developer_mode = flag(o, "developer_mode");
    ret->image = flag(o, "image");
    ret->no_library = json_is_true(json_object_get(o, "no_library"));
    json_decref(o);
}

/* How long the child may take. */
static int64_t timeout_ms(const struct ia_deadline *deadline)
{
    int64_t at_us = deadline ? deadline->at_us : IA_NO_DEADLINE;
    int64_t now_us = ia_mono_us(ia_clock_system());
    if (at_us == IA_NO_DEADLINE || at_us - now_us > (int64_t)IA_LOCKDOWN_MS * 1000) {
        return IA_LOCKDOWN_MS;
    }
    return at_us > now_us ? (at_us - now_us + 999) / 1000 : 1;
}

enum ia_rc ia_lockdown_read(const struct ia_usbmux_phone *phone,
                            const struct ia_deadline *deadline, struct ia_lockdown *ret,
                            struct ia_err *err)
{
    char program[PROGRAM_MAX];
    bool paired = false;
    struct ia_spawn_result done;
    enum ia_rc rc = ia_usbmux_paired(phone, deadline, &paired, err);
    *ret =
        (struct ia_lockdown){.trust = paired || rc != IA_OK ? IA_TRUST_UNKNOWN : IA_TRUST_NONE};
    if (rc != IA_OK || !ia_platform_program(program, sizeof(program))) {
        return rc;
    }
    const char *const argv[] = {program, "__lockdown", phone->udid, paired ? "paired" : NULL,
                                NULL};
    struct ia_spawn child = {.argv = argv,
                             .output_max = OUTPUT_MAX,
                             .timeout_ms = timeout_ms(deadline),
                             .cancel = deadline ? deadline->cancel : NULL};
    rc = ia_spawn_run(&child, &done, err);
    if (rc == IA_OK) {
        read_answer(ia_buf_str(&done.out), ret);
    }
    ia_spawn_result_fini(&done);
    return rc == IA_E_CANCELLED ? rc : IA_OK;
}

/* ---- what was learned ------------------------------------------------------------------- */

static struct learned {
    char udid[IA_USBMUX_UDID_SIZE]; /* "": the place is free */
    uint32_t id;                    /* another one since it was plugged in again */
    int64_t until_us;
    struct ia_lockdown says;
} learned[IA_USBMUX_PHONES_MAX];
static pthread_mutex_t learning = PTHREAD_MUTEX_INITIALIZER;

/* The place of that device, or the one whose time ends first. */
static struct learned *place_of(const struct ia_usbmux_phone *phone)
{
    struct learned *oldest = learned;
    for (size_t i = 0; i < IA_COUNTOF(learned); i++) {
        if (strcmp(learned[i].udid, phone->udid) == 0) {
            return &learned[i];
        }
        oldest = learned[i].until_us < oldest->until_us ? &learned[i] : oldest;
    }
    return oldest;
}

static bool recall(const struct ia_usbmux_phone *phone, struct ia_lockdown *ret)
{
    pthread_mutex_lock(&learning);
    const struct learned *l = place_of(phone);
    bool known = strcmp(l->udid, phone->udid) == 0 && l->id == phone->id &&
                 ia_mono_us(ia_clock_system()) < l->until_us;
    if (known) {
        *ret = l->says;
    }
    pthread_mutex_unlock(&learning);
    return known;
}

static void learn(const struct ia_usbmux_phone *phone, const struct ia_lockdown *says)
{
    bool settled = says->trust == IA_TRUSTED && says->developer_mode != IA_LOCKDOWN_NO &&
                   says->image != IA_LOCKDOWN_NO;
    pthread_mutex_lock(&learning);
    struct learned *l = place_of(phone);
    *l = (struct learned){.id = phone->id,
                          .until_us = ia_mono_us(ia_clock_system()) +
                                      (settled ? SETTLED_US : UNSETTLED_US),
                          .says = *says};
    memcpy(l->udid, phone->udid, sizeof(l->udid));
    pthread_mutex_unlock(&learning);
}

enum ia_rc ia_lockdown_recall(const struct ia_usbmux_phone *phone,
                              const struct ia_deadline *deadline, struct ia_lockdown *ret,
                              struct ia_err *err)
{
    if (recall(phone, ret)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_lockdown_read(phone, deadline, ret, err);
    if (rc == IA_OK) {
        learn(phone, ret);
    }
    return rc;
}

/* ---- by name ---------------------------------------------------------------------------- */

/* A person types a plain apostrophe where iOS has put another one. */
static bool is_named(const char *name, const char *text)
{
    struct ia_buf a = IA_BUF(FOLDED_MAX), b = IA_BUF(FOLDED_MAX);
    ia_text_fold(&a, ia_str(name));
    ia_text_fold(&b, ia_str(text));
    bool same = a.len > 0 && strcmp(ia_buf_cstr(&a), ia_buf_cstr(&b)) == 0;
    ia_buf_fini(&a);
    ia_buf_fini(&b);
    return same;
}

static enum ia_rc not_one(size_t found, const char *name, const char *udids, struct ia_err *err)
{
    enum ia_rc rc;
    if (found == 0) {
        rc = ia_err_set(err, IA_E_NO_DEVICE, "no iPhone named \"%.60s\" is plugged in", name);
        ia_err_hint(err, "ios-agent devices lists their names and UDIDs");
    } else {
        rc = ia_err_set(err, IA_E_AMBIGUOUS, "more than one iPhone is named \"%.60s\": %s",
                        name, udids);
        ia_err_hint(err, "say which by its UDID");
    }
    return rc;
}

enum ia_rc ia_lockdown_find(const char *text, const struct ia_deadline *deadline,
                            struct ia_usbmux_phone *ret, struct ia_err *err)
{
    char udid[IA_USBMUX_UDID_SIZE];
    struct ia_usbmux_phones all;
    struct ia_lockdown says;
    struct ia_buf udids = IA_BUF(sizeof(udid) * IA_USBMUX_PHONES_MAX * 2);
    size_t found = 0;
    if (ia_usbmux_udid(text, udid)) {
        return ia_usbmux_find(udid, deadline, ret, err);
    }
    enum ia_rc rc = ia_usbmux_list(deadline, &all, err);
    for (size_t i = 0; rc == IA_OK && i < all.count; i++) {
        rc = ia_lockdown_recall(&all.phones[i], deadline, &says, err);
        if (rc == IA_OK && is_named(says.name, text)) {
            *ret = all.phones[i];
            ia_buf_printf(&udids, "%s%s", found > 0 ? ", " : "", ret->udid);
            found++;
        }
    }
    rc = rc != IA_OK || found == 1 ? rc : not_one(found, text, ia_buf_cstr(&udids), err);
    ia_buf_fini(&udids);
    return rc;
}
