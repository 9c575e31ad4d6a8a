/* verb_system.c: what the system of a phone can be told beside touches, and films of its screen. */
#include "driver/system.h"

#include "base/clean.h"
#include "base/fd.h"
#include "server/verbs/verb_impl.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_MAX = 32 };

/* One line for people, and the same as a result. */
static void say(struct ia_verb_result *ret, const char *did, const char *what)
{
    struct ia_jsonw w;
    ia_buf_printf(&ret->text, "%s%s", did, *what ? " " : "");
    ia_clean(&ret->text, ia_str(what), IA_CLEAN_LINE);
    ia_buf_putc(&ret->text, '\n');
    ia_jsonw_init(&w, &ret->result);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "did", did);
    ia_jsonw_kv(&w, "what", what);
    ia_jsonw_end_object(&w);
}

/* What shows on the screen is told as after every other act. */
static enum ia_rc show(struct ia_verb_call *call, const char *did, struct ia_verb_result *ret,
                       struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(call->lane->session, &call->deadline, &s, err);
    if (rc == IA_OK) {
        ia_verb_changes(call, did, "", ret);
    } else if (err) {
        err->outcome = IA_OUTCOME_SENT;
    }
    return rc;
}

/* ---- orientation ------------------------------------------------------------------------- */

enum ia_rc ia_verb_do_rotate(struct ia_verb_call *call, struct ia_verb_result *ret,
                             struct ia_err *err)
{
    static const char *const words[] = {[IA_PORTRAIT] = "portrait",
                                        [IA_LANDSCAPE_LEFT] = "landscape",
                                        [IA_LANDSCAPE_RIGHT] = "landscape-right",
                                        [IA_UPSIDE_DOWN] = "upside-down",
                                        NULL};
    int to = ia_verb_index(words, ia_args_text(call->args, "orientation"));
    enum ia_rc rc = ia_device_orientation(call->lane->device, &call->deadline,
                                          (enum ia_orientation)to, err);
    return rc == IA_OK ? show(call, "turned the device", ret, err) : rc;
}

/* ---- status bar -------------------------------------------------------------------------- */

/* The option of a field: its key with dashes. */
static void option_name(const char *key, char ret[OPTION_MAX])
{
    size_t i = 0;
    for (; key[i] && i + 1 < OPTION_MAX; i++) {
        ret[i] = key[i] == '_' ? '-' : key[i];
    }
    ret[i] = '\0';
}

static void read_bar(const struct ia_args *a, struct ia_status_bar *bar)
{
    *bar = IA_STATUS_BAR;
    for (int i = 0; i < IA_STATUS_BAR_FIELDS; i++) {
        const struct ia_status_bar_field *f = &ia_status_bar_fields[i];
        char name[OPTION_MAX];
        option_name(f->key, name);
        if (f->max > 0) {
            *ia_status_bar_number(bar, f) = (int)ia_args_int(a, name, -1);
        } else {
            *ia_status_bar_text(bar, f) = ia_args_text(a, name);
        }
    }
}

enum ia_rc ia_verb_do_status_bar(struct ia_verb_call *call, struct ia_verb_result *ret,
                                 struct ia_err *err)
{
    struct ia_status_bar bar;
    bool clear = ia_args_has(call->args, "what");
    read_bar(call->args, &bar);
    enum ia_rc rc = clear ? IA_OK : ia_status_bar_check(&bar, err);
    if (rc == IA_OK) {
        rc =
            ia_device_status_bar(call->lane->device, &call->deadline, clear ? NULL : &bar, err);
    }
    if (rc == IA_OK) {
        say(ret, clear ? "cleared the status bar" : "changed the status bar", "");
    }
    return rc;
}

/* ---- permissions, location, media, pasteboard -------------------------------------------- */

enum ia_rc ia_verb_do_privacy(struct ia_verb_call *call, struct ia_verb_result *ret,
                              struct ia_err *err)
{
    static const char *const words[] = {"grant", "revoke", "reset", NULL};
    static const char *const did[] = {"granted", "revoked", "reset"};
    int set = ia_verb_index(words, ia_args_text(call->args, "set"));
    const char *service = ia_args_text(call->args, "service");
    enum ia_rc rc = ia_device_privacy(call->lane->device, &call->deadline, (enum ia_privacy)set,
                                      service, ia_args_text(call->args, "bundle"), err);
    if (rc == IA_OK) {
        say(ret, did[set], service);
    }
    return rc;
}

enum ia_rc ia_verb_do_location(struct ia_verb_call *call, struct ia_verb_result *ret,
                               struct ia_err *err)
{
    const char *place = ia_args_text(call->args, "place");
    bool clear = strcmp(place, "clear") == 0;
    struct ia_location at = {.latitude = 0};
    if (!clear && !ia_verb_pair(place, &at.latitude, &at.longitude)) {
        return ia_err_set(err, IA_E_USAGE,
                          "location needs LATITUDE,LONGITUDE in degrees, or clear, not \"%s\"",
                          place);
    }
    enum ia_rc rc =
        ia_device_location(call->lane->device, &call->deadline, clear ? NULL : &at, err);
    if (rc == IA_OK) {
        say(ret, clear ? "cleared the location" : "is now at", clear ? "" : place);
    }
    return rc;
}

enum ia_rc ia_verb_do_media(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    const char *file = ia_args_text(call->args, "file");
    enum ia_rc rc = ia_device_add_media(call->lane->device, &call->deadline, file, err);
    if (rc == IA_OK) {
        say(ret, "added", file);
    }
    return rc;
}

static enum ia_rc print_pasteboard(struct ia_verb_call *call, struct ia_verb_result *ret,
                                   struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    struct ia_jsonw w;
    enum ia_rc rc = ia_device_pasteboard(call->lane->device, &call->deadline, &text, err);
    if (rc == IA_OK) {
        ia_clean(&ret->text, ia_buf_str(&text), IA_CLEAN_TEXT);
        ia_buf_putc(&ret->text, '\n');
        ret->fence = true;
        ia_jsonw_init(&w, &ret->result);
        ia_jsonw_object(&w);
        ia_jsonw_key(&w, "text");
        ia_jsonw_str(&w, ia_buf_str(&text));
        ia_jsonw_end_object(&w);
    }
    ia_buf_fini(&text);
    return rc;
}

enum ia_rc ia_verb_do_pasteboard(struct ia_verb_call *call, struct ia_verb_result *ret,
                                 struct ia_err *err)
{
    const char *text = ia_args_text(call->args, "text");
    if (!text) {
        return print_pasteboard(call, ret, err);
    }
    enum ia_rc rc =
        ia_device_set_pasteboard(call->lane->device, &call->deadline, ia_str(text), err);
    if (rc == IA_OK) {
        say(ret, "filled the pasteboard", "");
    }
    return rc;
}

/* ---- notifications ----------------------------------------------------------------------- */

static void compose(const struct ia_args *a, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "aps");
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "alert");
    ia_jsonw_object(&w);
    if (ia_args_has(a, "title")) {
        ia_jsonw_kv(&w, "title", ia_args_text(a, "title"));
    }
    if (ia_args_has(a, "body")) {
        ia_jsonw_kv(&w, "body", ia_args_text(a, "body"));
    }
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

enum ia_rc ia_verb_check_push(const struct ia_args *a, struct ia_err *err)
{
    bool composed = ia_args_has(a, "title") || ia_args_has(a, "body");
    if (ia_args_has(a, "payload") == composed) {
        return ia_err_set(err, IA_E_USAGE,
                          "push needs --title or --body, or else --payload FILE");
    }
    if (composed && !ia_args_has(a, "bundle")) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no app is named to deliver it to");
        ia_err_hint(err, "give its bundle id: push com.example.App --title Hello");
        return rc;
    }
    return IA_OK;
}

static enum ia_rc payload_of(const struct ia_args *a, struct ia_buf *out, struct ia_err *err)
{
    const char *file = ia_args_text(a, "payload");
    if (file) {
        return ia_file_read(file, out, err);
    }
    compose(a, out);
    return ia_buf_check(out, "the notification", err);
}

enum ia_rc ia_verb_do_push(struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    struct ia_buf payload = IA_BUF(IA_VERB_TEXT_MAX);
    enum ia_rc rc = payload_of(call->args, &payload, err);
    if (rc == IA_OK) {
        rc = ia_device_push(call->lane->device, &call->deadline,
                            ia_args_text(call->args, "bundle"), ia_buf_str(&payload), err);
    }
    ia_buf_fini(&payload);
    return rc == IA_OK ? show(call, "delivered", ret, err) : rc;
}

/* ---- films ------------------------------------------------------------------------------- */

static enum ia_rc stop_film(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    struct ia_recording film = {.bytes = 0};
    struct ia_jsonw w;
    enum ia_rc rc = ia_device_record_stop(call->lane->device, &call->deadline, &film, err);
    if (rc != IA_OK) {
        return rc;
    }
    call->lane->keep_open = false;
    ia_buf_printf(&ret->text, "filmed %.1f s, %lld bytes (%s)%s\n",
                  (double)film.duration_ms / 1000, (long long)film.bytes, film.format,
                  film.cut ? "; it ends early, at the largest size" : "");
    ia_jsonw_init(&w, &ret->result);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "format", film.format);
    ia_jsonw_kv_int(&w, "bytes", film.bytes);
    ia_jsonw_kv_int(&w, "duration_ms", film.duration_ms);
    ia_jsonw_kv_int(&w, "frames", film.frames);
    ia_jsonw_kv_bool(&w, "cut", film.cut);
    ia_jsonw_end_object(&w);
    return IA_OK;
}

static bool starts(const struct ia_args *a)
{
    return strcmp(ia_args_text(a, "set"), "start") == 0;
}

enum ia_rc ia_verb_check_record(const struct ia_args *a, struct ia_err *err)
{
    if (starts(a) != ia_args_has(a, "file")) {
        return ia_err_set(err, IA_E_USAGE, "record is: record start FILE, then record stop");
    }
    return IA_OK;
}

enum ia_rc ia_verb_do_record(struct ia_verb_call *call, struct ia_verb_result *ret,
                             struct ia_err *err)
{
    const char *file = ia_args_text(call->args, "file");
    bool start = starts(call->args);
    if (!start) {
        return stop_film(call, ret, err);
    }
    enum ia_rc rc = ia_device_record_start(call->lane->device, &call->deadline, file, err);
    if (rc == IA_OK) {
        call->lane->keep_open = true;
        say(ret, "filming into", file);
    }
    return rc;
}
