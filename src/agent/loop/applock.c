/* applock.c: what the lock on an app allows, from the words of the goal. Where the goal is
 * unclear, the lock holds: a refused call costs a step, a call in the wrong app may cost the
 * user something. */
#include "agent/loop/applock.h"

#include "json/json.h"

#include <ctype.h>
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

/* Whether a word that forbids stands before `at` in the same clause: "do not open Settings"
 * allows nothing. Where it errs, it errs to the side of the lock. */
static bool forbidden(const char *text, const char *at)
{
    static const char *const words[] = {"not",   "never", "without", "avoid", "no",
                                        "don't", "dont",  "don’t",   "cannot"};
    const char *clause = at;
    while (clause > text && !strchr(".,;:!?\n", clause[-1])) {
        clause--;
    }
    for (size_t i = 0; i < IA_COUNTOF(words); i++) {
        const char *hit = find_words(text, clause, words[i]);
        if (hit && hit < at) {
            return true;
        }
    }
    return false;
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

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool begins_sentence(const char *text, const char *at)
{
    while (at > text && blank(at[-1])) {
        at--;
    }
    return at == text || strchr(".!?", at[-1]);
}

/* Whether the n bytes at `at` mean an app and not an ordinary word ("with phone 555-0100"):
 * people write the names of apps with a capital, or say "app" after them. A capital that begins
 * a sentence proves nothing where the sentence just goes on ("Phone number of Ada"). A name of
 * two words is no ordinary word. */
static bool meant_as_app(const char *text, const char *at, size_t n)
{
    const char *after = at + n;
    if (memchr(at, ' ', n) || (strncasecmp(after, " app", 4) == 0 && !word_char(after[4]))) {
        return true;
    }
    bool goes_on = after[0] == ' ' && !ispunct((unsigned char)after[1]);
    return isupper((unsigned char)*at) && !(begins_sentence(text, at) && goes_on);
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

bool ia_app_lock_allows(const struct ia_app_lock *lock, const char *bundle_id)
{
    if (!lock->app || strcmp(lock->app, bundle_id) == 0 || names(lock->goal, bundle_id)) {
        return true;
    }
    for (size_t i = 0; i < IA_COUNTOF(known_names); i++) {
        if (strcmp(known_names[i].bundle_id, bundle_id) == 0) {
            return names_app(lock->goal, known_names[i].name);
        }
    }
    /* Of an app that is not in the table, the last part of the bundle id is taken for its
     * name. */
    const char *dot = strrchr(bundle_id, '.');
    return dot && names_app(lock->goal, dot + 1);
}

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

static enum ia_rc check_button(const struct ia_app_lock *lock, const char *button,
                               struct ia_err *err)
{
    bool leaves = strcmp(button, "home") == 0 || strcmp(button, "lock") == 0;
    bool named = names(lock->goal, button) || ia_app_lock_allows(lock, IA_SPRINGBOARD);
    return leaves && !named ? refuse(lock, err, "the button ", button) : IA_OK;
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
};

/* A URL of the system's apps leaves the app unless the goal names that app or the address.
 * Where another scheme leads is known only afterwards: ia_app_lock_screen then stops further
 * actions there. */
static enum ia_rc check_url(const struct ia_app_lock *lock, const char *url, struct ia_err *err)
{
    while (*url != '\0' && (unsigned char)*url <= ' ') {
        url++;
    }
    for (size_t i = 0; i < IA_COUNTOF(system_schemes); i++) {
        const char *scheme = system_schemes[i].scheme;
        if (strncasecmp(url, scheme, strlen(scheme)) == 0 &&
            !ia_app_lock_allows(lock, system_schemes[i].bundle_id) && !names(lock->goal, url)) {
            return refuse(lock, err, "opening ", url);
        }
    }
    return IA_OK;
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
