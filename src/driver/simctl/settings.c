/* settings.c: privacy, appearance, status bar, location, push, media, pasteboard.
 * Each is one call with a checked argv; those that change something may be repeated. */
#include "driver/simctl/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ia_simctl_verb setting(const char *const *args)
{
    return (struct ia_simctl_verb){
        .args = args, .limit_ms = IA_SIMCTL_SETTING_MS, .repeatable = true};
}

/* Runs a verb whose arguments only need a right UDID. */
static enum ia_rc set(struct ia_simctl *s, const struct ia_deadline *deadline, const char *udid,
                      const char *const *args, struct ia_err *err)
{
    struct ia_simctl_verb verb = setting(args);
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
}

/* The same for one that prints what it is asked. */
static enum ia_rc get(struct ia_simctl *s, const struct ia_deadline *deadline, const char *udid,
                      const char *const *args, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_simctl_verb verb = setting(args);
    verb.reads = true;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, ret, NULL, err) : rc;
}

/* ---- privacy ----------------------------------------------------------------------------- */

enum ia_rc ia_simctl_privacy(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, enum ia_privacy set_to, const char *service,
                             const char *bundle_id, struct ia_err *err)
{
    static const char *const words[] = {"grant", "revoke", "reset"};
    const char *const args[] = {"privacy", udid, words[set_to], service, bundle_id, NULL};
    enum ia_rc rc = ia_privacy_check(set_to, service, bundle_id, err);
    if (rc == IA_OK && bundle_id) {
        rc = ia_simctl_check_bundle(bundle_id, err);
    }
    return rc == IA_OK ? set(s, deadline, udid, args, err) : rc;
}

/* ---- appearance -------------------------------------------------------------------------- */

static const char *const appearances[] = {"light", "dark", "unsupported", "unknown"};

enum ia_rc ia_simctl_appearance(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, enum ia_sim_appearance *ret,
                                struct ia_err *err)
{
    const char *const args[] = {"ui", udid, "appearance", NULL};
    struct ia_buf out = IA_BUF(4096);
    enum ia_rc rc = get(s, deadline, udid, args, &out, err);
    if (rc == IA_OK) {
        size_t n = strcspn(ia_buf_cstr(&out), " \r\n");
        *ret = IA_SIM_UNKNOWN;
        for (size_t i = 0; i < IA_COUNTOF(appearances); i++) {
            if (ia_str_is((struct ia_str){out.p, n}, appearances[i])) {
                *ret = (enum ia_sim_appearance)i;
            }
        }
    }
    ia_buf_fini(&out);
    return rc;
}

enum ia_rc ia_simctl_set_appearance(struct ia_simctl *s, const struct ia_deadline *deadline,
                                    const char *udid, enum ia_sim_appearance appearance,
                                    struct ia_err *err)
{
    bool dark = appearance == IA_SIM_DARK;
    const char *const args[] = {"ui", udid, "appearance", appearances[dark], NULL};
    if (appearance != IA_SIM_LIGHT && !dark) {
        (void)ia_err_set(err, IA_E_USAGE, "the appearance must be light or dark");
        return ia_device_not_sent(IA_E_USAGE, err);
    }
    return set(s, deadline, udid, args, err);
}

/* ---- status bar -------------------------------------------------------------------------- */

enum { BAR_ARGS = 3 + 2 * 9 + 1, NUMBER_SIZE = 12 };

struct bar_args {
    const char *args[BAR_ARGS];
    size_t n;
    char numbers[3][NUMBER_SIZE];
    size_t number_count;
};

static void add_text(struct bar_args *b, const char *option, const char *value)
{
    if (value) {
        b->args[b->n++] = option;
        b->args[b->n++] = value; /* also "", which is a word of its own */
    }
}

static void add_number(struct bar_args *b, const char *option, int value)
{
    if (value >= 0) {
        char *text = b->numbers[b->number_count++];
        (void)snprintf(text, NUMBER_SIZE, "%d", value);
        add_text(b, option, text);
    }
}

enum ia_rc ia_simctl_status_bar(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, const struct ia_status_bar *bar,
                                struct ia_err *err)
{
    struct bar_args b = {.args = {"status_bar", udid, "override"}, .n = 3};
    add_text(&b, "--time", bar->time);
    add_text(&b, "--dataNetwork", bar->data_network);
    add_text(&b, "--wifiMode", bar->wifi_mode);
    add_number(&b, "--wifiBars", bar->wifi_bars);
    add_text(&b, "--cellularMode", bar->cellular_mode);
    add_number(&b, "--cellularBars", bar->cellular_bars);
    add_text(&b, "--operatorName", bar->operator_name);
    add_text(&b, "--batteryState", bar->battery_state);
    add_number(&b, "--batteryLevel", bar->battery_level);
    enum ia_rc rc = ia_status_bar_check(bar, err);
    return rc == IA_OK ? set(s, deadline, udid, b.args, err) : rc;
}

enum ia_rc ia_simctl_status_bar_clear(struct ia_simctl *s, const struct ia_deadline *deadline,
                                      const char *udid, struct ia_err *err)
{
    const char *const args[] = {"status_bar", udid, "clear", NULL};
    return set(s, deadline, udid, args, err);
}

enum ia_rc ia_simctl_status_bar_list(struct ia_simctl *s, const struct ia_deadline *deadline,
                                     const char *udid, struct ia_buf *ret, struct ia_err *err)
{
    const char *const args[] = {"status_bar", udid, "list", NULL};
    return get(s, deadline, udid, args, ret, err);
}

/* ---- location ---------------------------------------------------------------------------- */

enum ia_rc ia_simctl_location(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, const struct ia_location *at,
                              struct ia_err *err)
{
    char place[64];
    const char *const args[] = {"location", udid, "set", place, NULL};
    enum ia_rc rc = ia_location_check(at, err);
    /* The process never leaves the C locale, so the point is a point. */
    (void)snprintf(place, sizeof(place), "%.7f,%.7f", at->latitude, at->longitude);
    return rc == IA_OK ? set(s, deadline, udid, args, err) : rc;
}

enum ia_rc ia_simctl_location_clear(struct ia_simctl *s, const struct ia_deadline *deadline,
                                    const char *udid, struct ia_err *err)
{
    const char *const args[] = {"location", udid, "clear", NULL};
    return set(s, deadline, udid, args, err);
}

/* ---- files and text ---------------------------------------------------------------------- */

enum ia_rc ia_simctl_push(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const char *udid, const char *bundle_id, struct ia_str payload,
                          struct ia_err *err)
{
    const char *const with[] = {"push", udid, bundle_id, "-", NULL};
    const char *const without[] = {"push", udid, "-", NULL};
    struct ia_simctl_verb verb = setting(bundle_id ? with : without);
    verb.input = payload;
    verb.repeatable = false;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK && bundle_id) {
        rc = ia_simctl_check_bundle(bundle_id, err);
    }
    if (rc == IA_OK) {
        rc = ia_push_check(payload, err);
    }
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
}

enum { MEDIA_MAX = 64 };

enum ia_rc ia_simctl_addmedia(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, const char *const *paths, struct ia_err *err)
{
    char *real[MEDIA_MAX] = {NULL};
    const char *args[MEDIA_MAX + 3] = {"addmedia", udid};
    size_t n = 0;
    enum ia_rc rc = IA_OK;
    for (; paths[n] && rc == IA_OK && n < MEDIA_MAX; n++) {
        rc = ia_simctl_check_path("the file", paths[n], &real[n], err);
        args[n + 2] = real[n];
    }
    if (rc == IA_OK && (n == 0 || paths[n])) {
        (void)ia_err_set(err, IA_E_USAGE, "give 1 to %d files at once", MEDIA_MAX);
        rc = ia_device_not_sent(IA_E_USAGE, err);
    }
    if (rc == IA_OK) {
        struct ia_simctl_verb verb = setting(args);
        verb.limit_ms = IA_SIMCTL_INSTALL_MS;
        verb.repeatable = false;
        rc = ia_simctl_check_udid(udid, err);
        rc = rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
    }
    for (size_t i = 0; i < n; i++) {
        free(real[i]);
    }
    return rc;
}

enum ia_rc ia_simctl_pbcopy(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, struct ia_str text, struct ia_err *err)
{
    const char *const args[] = {"pbcopy", udid, NULL};
    struct ia_simctl_verb verb = setting(args);
    verb.input = text;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
}

enum ia_rc ia_simctl_pbpaste(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, struct ia_buf *ret, struct ia_err *err)
{
    const char *const args[] = {"pbpaste", udid, NULL};
    return get(s, deadline, udid, args, ret, err);
}
