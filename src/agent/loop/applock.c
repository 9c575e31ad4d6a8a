/* applock.c: what the lock on an app allows, from the words of the goal. Where the goal is
 * unclear, the lock holds: a refused call costs a step, a call in the wrong app may cost the
 * user something. */
#include "agent/loop/applock.h"

#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names that people use for apps whose bundle id does not say them. Source: Apple, "Bundle IDs
 * for native iPhone and iPad apps" (support.apple.com, device management). */
static const struct {
    const char *bundle_id, *name;
} known_names[] = {
    {"com.apple.Preferences", "Settings"},    {"com.apple.MobileAddressBook", "Contacts"},
    {"com.apple.mobilesafari", "Safari"},     {"com.apple.MobileSMS", "Messages"},
    {"com.apple.mobilemail", "Mail"},         {"com.apple.mobilecal", "Calendar"},
    {"com.apple.mobilenotes", "Notes"},       {"com.apple.mobileslideshow", "Photos"},
    {"com.apple.mobilephone", "Phone"},       {"com.apple.mobiletimer", "Clock"},
    {"com.apple.AppStore", "App Store"},      {"com.apple.DocumentsApp", "Files"},
    {"com.apple.Passbook", "Wallet"},         {"com.apple.VoiceMemos", "Voice Memos"},
    {"com.apple.springboard", "Home Screen"},
};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == '_';
}

/* The next place from `from` on where text has the words, whole and without regard to case. */
static const char *find_words(const char *text, const char *from, const char *words)
{
    size_t n = strlen(words);
    for (const char *at = from; n > 0 && strlen(at) >= n; at++) {
        bool starts = at == text || !word_char(at[-1]);
        if (starts && strncasecmp(at, words, n) == 0 && !word_char(at[n])) {
            return at;
        }
    }
    return NULL;
}

/* Whether one of the words stands before `at` in the same clause. */
static bool clause_has(const char *text, const char *at, const char *const *words, size_t n)
{
    const char *clause = at;
    while (clause > text && !strchr(".,;:!?\n", clause[-1])) {
        clause--;
    }
    for (size_t i = 0; i < n; i++) {
        const char *hit = find_words(text, clause, words[i]);
        if (hit && hit < at) {
            return true;
        }
    }
    return false;
}

/* "do not open Settings" allows nothing. Where it errs, it errs to the side of the lock. */
static bool forbidden(const char *text, const char *at)
{
    static const char *const words[] = {"not",   "never", "without", "avoid", "no",
                                        "don't", "dont",  "don’t",   "cannot"};
    return clause_has(text, at, words, IA_COUNTOF(words));
}

/* Whether text names the words somewhere where it does not forbid them. */
static bool names(const char *text, const char *words)
{
    const char *at = text;
    while ((at = find_words(text, at, words)) != NULL) {
        if (!forbidden(text, at)) {
            return true;
        }
        at++;
    }
    return false;
}

/* ---- an app, or just its name ------------------------------------------------------------ */

/* The word before `at`, over blanks, an opening quote and the words that may stand between a verb
 * and a name; empty where a sentence or clause begins. */
static struct ia_str word_before(const char *text, const char *at)
{
    static const char *const between[] = {"the", "my", "their", "this"};
    struct ia_str word = {at, 0};
    bool skip = true;
    while (skip) {
        const char *end = word.p;
        while (end > text && (end[-1] == ' ' || end[-1] == '"')) {
            end--;
        }
        word = (struct ia_str){end, 0};
        while (word.p > text && word_char(word.p[-1])) {
            word = (struct ia_str){word.p - 1, word.n + 1};
        }
        skip = false;
        for (size_t i = 0; i < IA_COUNTOF(between) && word.n > 0; i++) {
            skip = skip || (strlen(between[i]) == word.n &&
                            strncasecmp(word.p, between[i], word.n) == 0);
        }
    }
    return word;
}

static bool begins_sentence(const char *text, const char *at)
{
    while (at > text && strchr(" \t\n\"", at[-1])) {
        at--;
    }
    return at == text || strchr(".!?;,:", at[-1]);
}

static bool word_is(struct ia_str word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(list[i]) == word.n && strncasecmp(word.p, list[i], word.n) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the words before `at` lead to an app: "open", "look into", "go back to". In a name they are
 * written with a capital ("Open Shop"). */
static bool led_to(const char *text, const char *at)
{
    static const char *const leads[] = {"open", "launch", "start",  "use",  "using", "visit",
                                        "in",   "into",   "inside", "from", "via",   "through"};
    static const char *const goes[] = {"go",   "switch", "return",   "back",    "move",
                                       "jump", "change", "navigate", "continue"};
    struct ia_str word = word_before(text, at);
    bool capital = word.n > 0 && isupper((unsigned char)word.p[0]) != 0;
    if (word.n == 0 || (capital && !begins_sentence(text, word.p))) {
        return false;
    }
    if (word.n == 2 && strncasecmp(word.p, "to", 2) == 0) {
        word = word_before(text, word.p);
        return word_is(word, goes, IA_COUNTOF(goes));
    }
    return word_is(word, leads, IA_COUNTOF(leads));
}

/* Whether a text follows, and no app: "a contact named Voice Memos", "type in Shop". */
static bool is_text(const char *text, const char *at)
{
    static const char *const words[] = {"named", "called", "titled", "type", "enter", "write"};
    return clause_has(text, at, words, IA_COUNTOF(words));
}

/* Whether the n bytes at `at` mean an app, and not an ordinary word ("with phone 555-0100") or a part
 * of another name ("Shop Street"). A name of two words is no ordinary word. */
static bool meant_as_app(const char *text, const char *at, size_t n)
{
    const char *after = at + n;
    after += *after == '"';
    if (is_text(text, at)) {
        return false;
    }
    if (strncasecmp(after, " app", 4) == 0 && !word_char(after[4])) {
        return true;
    }
    bool goes_on = after[0] == ' ' && isupper((unsigned char)after[1]);
    bool reads_as_name = isupper((unsigned char)*at) || memchr(at, ' ', n);
    bool heads = *after == ':' && begins_sentence(text, at);
    return reads_as_name && !goes_on && (heads || led_to(text, at));
}

/* Whether text names the app somewhere where it does not forbid it. */
static bool names_app(const char *text, const char *name)
{
    for (const char *at = text; (at = find_words(text, at, name)) != NULL; at++) {
        if (meant_as_app(text, at, strlen(name)) && !forbidden(text, at)) {
            return true;
        }
    }
    return false;
}

static const char *goal_of(const struct ia_app_lock *lock)
{
    return lock->goal ? lock->goal : "";
}

/* The last part of a bundle id: of an app that is not in the table it is taken for its name. */
static const char *last_part(const char *bundle_id)
{
    const char *dot = strrchr(bundle_id, '.');
    return dot ? dot + 1 : "";
}

static bool expected(const struct ia_app_lock *lock, const char *bundle_id)
{
    for (size_t i = 0; lock->expects && i < lock->expects->count; i++) {
        const struct ia_expect *x = &lock->expects->items[i];
        if (x->kind == IA_EXPECT_APP && strcmp(x->text, bundle_id) == 0) {
            return true;
        }
    }
    return false;
}

bool ia_app_lock_allows(const struct ia_app_lock *lock, const char *bundle_id)
{
    if (!lock->app || strcmp(lock->app, bundle_id) == 0 || expected(lock, bundle_id) ||
        names(goal_of(lock), bundle_id)) {
        return true;
    }
    for (size_t i = 0; i < IA_COUNTOF(known_names); i++) {
        if (strcmp(known_names[i].bundle_id, bundle_id) == 0) {
            return names_app(goal_of(lock), known_names[i].name);
        }
    }
    return names_app(goal_of(lock), last_part(bundle_id));
}

/* ---- refusing ---------------------------------------------------------------------------- */

static enum ia_rc refuse(const struct ia_app_lock *lock, struct ia_err *err, const char *what,
                         const char *target)
{
    ia_err_set(err, IA_E_APP_LOCK, "this run is locked to %s: %s%.160s is not allowed",
               lock->app, what, target);
    ia_err_hint(err, "Reach the goal inside %s; launch_app brings it to the front.", lock->app);
    /* Nothing reached the device, and trying it again would be refused again. */
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
        err->retry_safe = false;
    }
    return IA_E_APP_LOCK;
}

/* The words by which a goal asks for a button that leaves the app. */
static const struct {
    const char *button, *words;
} button_words[] = {
    {"home", "home screen"},    {"home", "home button"},     {"home", "press home"},
    {"home", "go home"},        {"home", "return home"},     {"lock", "lock button"},
    {"lock", "press lock"},     {"lock", "lock screen"},     {"lock", "lock the screen"},
    {"lock", "lock the phone"}, {"lock", "lock the iPhone"}, {"lock", "lock the device"},
};

static bool names_button(const char *goal, const char *button)
{
    for (size_t i = 0; i < IA_COUNTOF(button_words); i++) {
        const char *words = button_words[i].words, *at = goal;
        for (; strcmp(button_words[i].button, button) == 0 &&
               (at = find_words(goal, at, words)) != NULL;
             at++) {
            if (!forbidden(goal, at) && !is_text(goal, at)) {
                return true;
            }
        }
    }
    return false;
}

static enum ia_rc check_button(const struct ia_app_lock *lock, const char *button,
                               struct ia_err *err)
{
    bool leaves = strcmp(button, "home") == 0 || strcmp(button, "lock") == 0;
    return leaves && !names_button(goal_of(lock), button)
               ? refuse(lock, err, "the button ", button)
               : IA_OK;
}

/* URL schemes that belong to an app of the system. Source: Apple URL Scheme Reference, and
 * what iOS itself answers to. */
static const struct {
    const char *scheme, *bundle_id;
} system_schemes[] = {
    {"http:", "com.apple.mobilesafari"},
    {"https:", "com.apple.mobilesafari"},
    {"tel:", "com.apple.mobilephone"},
    {"telprompt:", "com.apple.mobilephone"},
    {"facetime:", "com.apple.facetime"},
    {"facetime-audio:", "com.apple.facetime"},
    {"sms:", "com.apple.MobileSMS"},
    {"mailto:", "com.apple.mobilemail"},
    {"message:", "com.apple.mobilemail"},
    {"contacts:", "com.apple.MobileAddressBook"},
    {"calshow:", "com.apple.mobilecal"},
    {"photos-redirect:", "com.apple.mobileslideshow"},
    {"shareddocuments:", "com.apple.DocumentsApp"},
    {"maps:", "com.apple.Maps"},
    {"itms:", "com.apple.AppStore"},
    {"itms-apps:", "com.apple.AppStore"},
    {"shortcuts:", "com.apple.shortcuts"},
    {"prefs:", "com.apple.Preferences"},
    {"app-prefs:", "com.apple.Preferences"},
    {"app-settings:", "com.apple.Preferences"},
    {"x-apple-reminderkit:", "com.apple.reminders"},
};

/* The bundle id that a scheme ("tel:") belongs to, or NULL. */
static const char *owner_of(struct ia_str scheme)
{
    for (size_t i = 0; i < IA_COUNTOF(system_schemes); i++) {
        if (strlen(system_schemes[i].scheme) == scheme.n &&
            strncasecmp(system_schemes[i].scheme, scheme.p, scheme.n) == 0) {
            return system_schemes[i].bundle_id;
        }
    }
    return NULL;
}

/* What stands for the URL in a text that declares it: its host where it is one of the web's, which
 * all apps share the schemes of, else its scheme with the colon. */
struct link_words {
    char *text;
    bool web;
};

static struct link_words declared_by(const char *url, struct ia_str scheme)
{
    bool web = scheme.n > 4 && strncasecmp(url, "http", 4) == 0 &&
               (scheme.n == 5 || (scheme.n == 6 && (url[4] | 0x20) == 's'));
    const char *host = url + scheme.n;
    host += strspn(host, "/");
    size_t authority = strcspn(host, "/?#");
    /* "https://known.example:x@other.example": the host is behind the @. Nobody needs that here. */
    size_t n = memchr(host, '@', authority) ? 0 : strcspn(host, "/?#:");
    return (struct link_words){web ? ia_strndup(host, n) : ia_strndup(url, scheme.n), web};
}

/* Whether the words at `at` are a host, and not a plain word or a part of another host or of a mail
 * address; of a scheme, whether it is more than a word that heads a sentence. */
static bool stands_as_link(const char *text, const char *at, const struct link_words *w)
{
    const char *after = at + strlen(w->text);
    if (!w->web) {
        bool ends = *after == '\0' || isspace((unsigned char)*after);
        return !ends || !begins_sentence(text, at);
    }
    bool part = (at > text && strchr("@.-", at[-1])) || *after == '-' ||
                (*after == '.' && word_char(after[1]));
    bool host = strchr(w->text, '.') || (at > text && at[-1] == '/');
    return host && !part;
}

static bool names_link(const char *text, const struct link_words *w)
{
    for (const char *at = text; (at = find_words(text, at, w->text)) != NULL; at++) {
        if (stands_as_link(text, at, w) && !forbidden(text, at)) {
            return true;
        }
    }
    return false;
}

static bool is_declared(const struct ia_app_lock *lock, const char *url, struct ia_str scheme)
{
    struct link_words words = declared_by(url, scheme);
    bool found = names_link(goal_of(lock), &words);
    for (size_t i = 0; i < lock->setup_count && !found; i++) {
        const struct ia_setup_step *step = &lock->setup[i];
        found = step->kind == IA_SETUP_OPEN_URL && names_link(step->value, &words);
    }
    free(words.text);
    return found;
}

static enum ia_rc check_url(const struct ia_app_lock *lock, const char *url, struct ia_err *err)
{
    while (*url != '\0' && (unsigned char)*url <= ' ') {
        url++;
    }
    size_t name_n = strcspn(url, ":/?# ");
    struct ia_str scheme = {url, name_n + (url[name_n] == ':')};
    const char *owner = owner_of(scheme), *own = last_part(lock->app);
    bool own_scheme = strlen(own) == name_n && strncasecmp(own, url, name_n) == 0;
    bool known = scheme.n > name_n && name_n > 0 && (owner || own_scheme);
    if ((known && (own_scheme || ia_app_lock_allows(lock, owner))) ||
        (scheme.n > name_n && name_n > 0 && is_declared(lock, url, scheme))) {
        return IA_OK;
    }
    enum ia_rc rc = refuse(lock, err, "opening ", url);
    ia_err_hint(err,
                "Reach the goal inside %s. A link is only opened where the goal or the setup "
                "names it.",
                lock->app);
    return rc;
}

enum ia_rc ia_app_lock_tool(const struct ia_app_lock *lock, enum ia_tool tool,
                            const json_t *input, struct ia_err *err)
{
    if (!lock->app) {
        return IA_OK;
    }
    const char *bundle_id = ia_json_text(input, "bundle_id");
    bool allowed = ia_app_lock_allows(lock, bundle_id);
    switch (
        tool) { /* every tool by name, so that a new one does not compile without its rule */
    case IA_TOOL_LAUNCH_APP:
        return allowed ? IA_OK : refuse(lock, err, "launching ", bundle_id);
    case IA_TOOL_TERMINATE_APP:
        return allowed ? IA_OK : refuse(lock, err, "stopping ", bundle_id);
    case IA_TOOL_PRESS_BUTTON:
        return check_button(lock, ia_json_text(input, "button"), err);
    case IA_TOOL_OPEN_URL:
        return check_url(lock, ia_json_text(input, "url"), err);
    case IA_TOOL_TAP: /* these touch only what ia_app_lock_screen lets them */
    case IA_TOOL_LONG_PRESS:
    case IA_TOOL_TYPE_TEXT:
    case IA_TOOL_CLEAR_TEXT:
    case IA_TOOL_SWIPE:
    case IA_TOOL_SCROLL_TO:
    case IA_TOOL_BACK:
    case IA_TOOL_ALERT:
        return IA_OK;
    case IA_TOOL_SNAPSHOT: /* these touch nothing */
    case IA_TOOL_SCREENSHOT:
    case IA_TOOL_WAIT_FOR:
    case IA_TOOL_REMEMBER:
    case IA_TOOL_FINISH:
        return IA_OK;
    case IA_TOOL_COUNT:
        break;
    }
    return refuse(lock, err, "a tool without a rule", "");
}

static bool has_alert(const struct ia_snapshot *s)
{
    const struct ia_element *e;
    for (size_t i = 0; (e = ia_snapshot_at(s, i)) != NULL; i++) {
        if (e->role == IA_ROLE_ALERT) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_app_lock_screen(const struct ia_app_lock *lock, const struct ia_snapshot *fresh,
                              struct ia_err *err)
{
    const char *app = ia_snapshot_app(fresh);
    if (!lock->app || !app || ia_app_lock_allows(lock, app)) {
        return IA_OK;
    }
    /* Alerts of the system lie over the app and have to be answered to go on in it. */
    if (strcmp(app, IA_SPRINGBOARD) == 0 && has_alert(fresh)) {
        return IA_OK;
    }
    return refuse(lock, err, "touching ", app);
}
