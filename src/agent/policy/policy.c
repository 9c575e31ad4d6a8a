/* policy.c: the rules. A call is read once into struct seen; each rule is a function of it; the table joins them. */
#include "agent/policy/policy.h"

#include "agent/policy/words.h"
#include "base/textfold.h"
#include "driver/snapshot/signature.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    TEXT_MAX = 8192,
    BUTTON_WORDS_MAX = 7,
    PRICE_WORDS_MAX = 4,
    PHONE_DIGITS_MIN = 5,
    NAME_MAX_BYTES = 160
};

#define SPRINGBOARD "com.apple.springboard"
#define SETTINGS "com.apple.Preferences"
#define CONTACTS "com.apple.MobileAddressBook"
#define PHONE "com.apple.mobilephone"
#define SAFARI "com.apple.mobilesafari"

/* ---- names ------------------------------------------------------------------------------- */

static const char *const rule_names[IA_POLICY_RULE_COUNT] = {
#define NAME(id, name) name,
    IA_POLICY_RULE_LIST(NAME)
#undef NAME
};

const char *ia_policy_rule_name(enum ia_policy_rule rule)
{
    return (unsigned)rule < IA_POLICY_RULE_COUNT ? rule_names[rule] : "";
}

static const char *const answer_names[IA_POLICY_ANSWER_COUNT] = {"allow", "ask", "deny"};

void ia_policy_tighten(struct ia_policy *p, const char *rule, const char *answer)
{
    enum ia_policy_answer a = IA_POLICY_DENY;
    for (int i = 0; answer && i < IA_POLICY_ANSWER_COUNT; i++) {
        a = strcmp(answer, answer_names[i]) == 0 ? (enum ia_policy_answer)i : a;
    }
    for (size_t i = 0; answer && i < IA_POLICY_RULE_COUNT; i++) {
        if (strcmp(rule, rule_names[i]) == 0 && a > p->answer[i]) {
            p->answer[i] = a;
        }
    }
}

bool ia_policy_is_open(const struct ia_policy *p, bool suspicious)
{
    bool open = !p->apps[0] && !p->ask_tools[0] && !p->deny_tools[0];
    for (size_t i = 0; open && i < IA_POLICY_RULE_COUNT; i++) {
        open = p->answer[i] == IA_POLICY_ALLOW || (i == IA_POLICY_SUSPICIOUS && !suspicious);
    }
    return open;
}

/* ---- a call, read once ------------------------------------------------------------------- */

/* What the rules look at. Texts are folded. */
struct seen {
    const struct ia_policy *p;
    const struct ia_policy_act *act;
    const char *app;        /* in front; "" when unknown */
    bool touches;           /* a finger on an element, or an answer to an alert */
    bool types;             /* text into a field */
    bool swipes;            /* to the left or right */
    bool answers;           /* an alert or an action sheet, and not by its cancelling button */
    bool submits;           /* presses return */
    struct ia_buf label;    /* of the target, or the button that is named */
    struct ia_buf whole;    /* the target's other texts */
    struct ia_buf symbol;   /* words of its identifier */
    struct ia_buf question; /* of the alert or action sheet in front */
    size_t buttons;         /* that it has */
};

static void fold(struct ia_buf *out, const char *text)
{
    if (text && *text) {
        ia_text_fold(out, ia_str(text));
    }
}

/* "composeSendButton" and "paperplane.fill" as words. */
static void split_words(struct ia_buf *out, const char *id)
{
    for (const char *p = id; p && *p; p++) {
        bool hump = isupper((unsigned char)*p) && p > id && !isupper((unsigned char)p[-1]);
        bool word = isalnum((unsigned char)*p) != 0;
        if (hump || !word) {
            ia_buf_putc(out, ' ');
        }
        if (word) {
            ia_buf_putc(out, (char)tolower((unsigned char)*p));
        }
    }
}

/* A tool that is not the device's acts on the device where a target is given: by a touch, or by typing. */
static bool is_typing(const struct ia_policy_act *act)
{
    bool text = json_is_string(json_object_get(act->input, "text"));
    return act->tool == IA_TOOL_TYPE_TEXT || act->tool == IA_TOOL_CLEAR_TEXT ||
           (act->tool == IA_TOOL_COUNT && act->target && text);
}

static bool is_touch(const struct ia_policy_act *act)
{
    return act->tool == IA_TOOL_TAP || act->tool == IA_TOOL_LONG_PRESS ||
           act->tool == IA_TOOL_ALERT ||
           (act->tool == IA_TOOL_COUNT && act->target && !is_typing(act));
}

static bool is_submit(const struct ia_policy_act *act)
{
    const char *text = ia_json_text(act->input, "text");
    return act->tool != IA_TOOL_CLEAR_TEXT && is_typing(act) &&
           (json_is_true(json_object_get(act->input, "submit")) || strpbrk(text, "\r\n"));
}

static bool is_side_swipe(const struct ia_policy_act *act)
{
    const char *direction = ia_json_text(act->input, "direction");
    return act->tool == IA_TOOL_SWIPE &&
           (strcmp(direction, "left") == 0 || strcmp(direction, "right") == 0);
}

static void read_target(struct seen *s)
{
    const struct ia_element *e = s->act->target;
    if (e) {
        fold(&s->label, e->label);
        fold(&s->whole, e->value);
        fold(&s->whole, e->placeholder);
        split_words(&s->symbol, e->identifier);
    } else if (s->act->tool == IA_TOOL_ALERT) {
        fold(&s->label, ia_json_text(s->act->input, "button"));
    }
}

/* "Cancel" as a whole, or what begins with several words, such as "Don't Allow": "Close Account" is none. */
static bool cancels(const char *label)
{
    const char *words = ia_words_any(IA_WORDS_CANCEL, label, true);
    return words && (strcmp(words, label) == 0 || ia_words_count(words) > 1);
}

/* One button alone decides nothing. */
static bool decides(const struct seen *s)
{
    bool named = s->label.len > 0;
    bool harmless = named ? cancels(ia_buf_cstr(&s->label))
                          : strcmp(ia_json_text(s->act->input, "action"), "dismiss") == 0;
    /* An alert that the tree does not show may have any number of buttons. */
    bool choice = s->buttons > 1 || (s->act->tool == IA_TOOL_ALERT && s->buttons == 0);
    return s->touches && choice && !harmless;
}

static void see(struct seen *s, const struct ia_policy *p, const struct ia_policy_act *act)
{
    const char *app = act->screen ? ia_snapshot_app(act->screen) : NULL;
    struct ia_buf asked = IA_BUF(TEXT_MAX);
    *s = (struct seen){.p = p,
                       .act = act,
                       .app = app ? app : "",
                       .touches = is_touch(act),
                       .types = is_typing(act),
                       .swipes = is_side_swipe(act),
                       .submits = is_submit(act),
                       .label = IA_BUF(TEXT_MAX),
                       .whole = IA_BUF(TEXT_MAX),
                       .symbol = IA_BUF(TEXT_MAX),
                       .question = IA_BUF(TEXT_MAX)};
    read_target(s);
    s->buttons = act->screen ? ia_signature_question(act->screen, &asked) : 0;
    fold(&s->question, ia_buf_cstr(&asked));
    s->answers = decides(s);
    ia_buf_fini(&asked);
}

static void forget(struct seen *s)
{
    ia_buf_fini(&s->label);
    ia_buf_fini(&s->whole);
    ia_buf_fini(&s->symbol);
    ia_buf_fini(&s->question);
}

/* ---- words ------------------------------------------------------------------------------- */

/* A button says shortly what it does; a row, a text or a picture that only mentions it does not do it, unless its
 * text begins so. */
static bool text_says(enum ia_words list, const char *text, bool commands)
{
    bool brief = ia_words_count(text) <= BUTTON_WORDS_MAX;
    return *text && (ia_words_any(list, text, true) ||
                     (commands && brief && ia_words_any(list, text, false)));
}

static bool commands(const struct ia_element *e)
{
    switch (e->role) {
    case IA_ROLE_BUTTON:
    case IA_ROLE_LINK:
    case IA_ROLE_MENU_ITEM:
    case IA_ROLE_KEY:
    case IA_ROLE_IMAGE:
    case IA_ROLE_ICON:
    case IA_ROLE_SEGMENT:
    case IA_ROLE_OTHER:
        return true;
    default:
        return false;
    }
}

/* Return does what the keyboard's return key says, and often what the screen's button says. */
static bool screen_offers(const struct seen *s, enum ia_words list)
{
    const struct ia_element *e;
    bool found = false;
    for (size_t i = 0; s->act->screen && !found && (e = ia_snapshot_at(s->act->screen, i));
         i++) {
        bool button = e->role == IA_ROLE_BUTTON || e->role == IA_ROLE_KEY;
        if (button && e->label && !(list == IA_WORDS_DELETE && e->role == IA_ROLE_KEY)) {
            struct ia_buf b = IA_BUF(TEXT_MAX);
            fold(&b, e->label);
            found = text_says(list, ia_buf_cstr(&b), true);
            ia_buf_fini(&b);
        }
    }
    return found;
}

/* A tool that is not the device's, such as "send_mail" or calendar with the action "delete". */
static bool tool_says(const struct seen *s, enum ia_words symbols, enum ia_words list)
{
    struct ia_buf b = IA_BUF(TEXT_MAX);
    split_words(&b, s->act->name);
    ia_buf_putc(&b, ' ');
    split_words(&b, ia_json_text(s->act->input, "action"));
    bool says = ia_words_any(symbols, ia_buf_cstr(&b), false) ||
                ia_words_any(list, ia_buf_cstr(&b), false);
    ia_buf_fini(&b);
    return says;
}

static bool says(const struct seen *s, enum ia_words list, enum ia_words symbols)
{
    const struct ia_element *e = s->act->target;
    if (s->act->tool == IA_TOOL_COUNT && tool_says(s, symbols, list)) {
        return true;
    }
    if (s->submits && screen_offers(s, list)) {
        return true;
    }
    if (!s->touches || (e && ia_role_is_field(e->role))) {
        return false;
    }
    return text_says(list, ia_buf_cstr(&s->label), !e || commands(e)) ||
           ia_words_any(symbols, ia_buf_cstr(&s->symbol), false) ||
           (s->answers && ia_words_any(list, ia_buf_cstr(&s->question), false));
}

/* ---- the rules --------------------------------------------------------------------------- */

static bool listed(const char *list, const char *word, size_t n)
{
    while (*list) {
        list += strspn(list, ", \t\n");
        size_t len = strcspn(list, ", \t\n");
        if (len == n && n > 0 && strncasecmp(list, word, n) == 0) {
            return true;
        }
        list += len;
    }
    return false;
}

/* The home screen belongs to no app: its alerts have to be answered, and it is the way back. */
static bool foreign(const struct seen *s, const char *app)
{
    return *app && strcmp(app, SPRINGBOARD) != 0 && !listed(s->p->apps, app, strlen(app));
}

static size_t scheme_of(const char **url)
{
    *url += strspn(*url, " \t\r\n");
    return strcspn(*url, ":/?# ");
}

static bool is_scheme(const char *url, const char *const *schemes)
{
    size_t n = scheme_of(&url);
    while (*schemes && (strlen(*schemes) != n || strncasecmp(url, *schemes, n) != 0)) {
        schemes++;
    }
    return *schemes != NULL;
}

static const char *const web_schemes[] = {"http", "https", NULL};
static const char *const call_schemes[] = {"tel", "telprompt", "facetime", "facetime-audio",
                                           NULL};

/* The browser for the web, else the app whose bundle id ends with the scheme. */
static bool url_is_of(const char *url, const char *app)
{
    const char *last = strrchr(app, '.');
    if (is_scheme(url, web_schemes)) {
        return strcmp(app, SAFARI) == 0;
    }
    size_t n = scheme_of(&url);
    return last && strlen(last + 1) == n && strncasecmp(last + 1, url, n) == 0;
}

static bool url_is_of_listed(const char *url, const char *apps)
{
    char app[256];
    for (const char *at = apps; *at;) {
        at += strspn(at, ", \t\n");
        size_t n = strcspn(at, ", \t\n");
        (void)snprintf(app, sizeof(app), "%.*s", n < sizeof(app) ? (int)n : 0, at);
        if (url_is_of(url, app)) {
            return true;
        }
        at += n;
    }
    return false;
}

static bool rule_apps(const struct seen *s)
{
    const char *url = ia_json_text(s->act->input, "url");
    bool moves = s->act->tool == IA_TOOL_SWIPE || s->act->tool == IA_TOOL_SCROLL_TO;
    bool acts = s->touches || s->types || moves;
    bool opens = s->act->tool == IA_TOOL_OPEN_URL && !url_is_of_listed(url, s->p->apps);
    return s->p->apps[0] && (opens || foreign(s, ia_json_text(s->act->input, "bundle_id")) ||
                             (acts && foreign(s, s->app)));
}

static bool names_tool(const char *list, const struct ia_policy_act *act)
{
    char name[NAME_MAX_BYTES];
    if (listed(list, act->name, strlen(act->name))) {
        return true;
    }
    /* A tool of a skill in a folder is called skill__tool. */
    size_t prefix = act->skill ? strlen(act->skill) : 0;
    bool prefixed = act->skill && strncmp(act->name, act->skill, prefix) == 0 &&
                    strncmp(act->name + prefix, "__", 2) == 0;
    const char *own = prefixed ? act->name + prefix + 2 : act->name;
    bool found = false;
    for (int any = 0; act->skill && !found && any < 2; any++) {
        int n = snprintf(name, sizeof(name), "%s:%s", act->skill, any ? "*" : own);
        found = n > 0 && listed(list, name, (size_t)n);
    }
    return found;
}

static bool rule_tools(const struct seen *s)
{
    return names_tool(s->p->ask_tools, s->act) || names_tool(s->p->deny_tools, s->act);
}

/* "$4.99", "4,99 €": a button that is a price buys. */
static bool is_price(const char *text)
{
    static const char *const signs[] = {"$",   "€", "£",  "¥",   "₩",  "₹",
                                        "₽", "₺", "元", "usd", "eur"};
    bool sign = false;
    for (size_t i = 0; i < IA_COUNTOF(signs); i++) {
        sign = sign || strstr(text, signs[i]);
    }
    return sign && strpbrk(text, "0123456789") && ia_words_count(text) <= PRICE_WORDS_MAX;
}

static bool rule_buy(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool price =
        s->touches && e && e->role == IA_ROLE_BUTTON && is_price(ia_buf_cstr(&s->label));
    return price || says(s, IA_WORDS_BUY, IA_WORDS_SYMBOL_BUY);
}

static bool is_phone(const char *text)
{
    size_t digits = 0;
    for (const char *p = text; *p; p++) {
        digits += isdigit((unsigned char)*p) != 0;
    }
    return digits >= PHONE_DIGITS_MIN && strspn(text, "0123456789+-(). ") == strlen(text);
}

/* A number that is touched in the phone's own apps, or a link, is called. */
static bool calls(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool dials = strcmp(s->app, CONTACTS) == 0 || strcmp(s->app, PHONE) == 0;
    bool control = e && (e->role == IA_ROLE_LINK ||
                         (dials && (e->role == IA_ROLE_BUTTON || e->role == IA_ROLE_ROW)));
    return s->touches && control &&
           (is_phone(ia_buf_cstr(&s->label)) || is_phone(ia_buf_cstr(&s->whole)));
}

static bool rule_send(const struct seen *s)
{
    bool dials = s->act->tool == IA_TOOL_OPEN_URL &&
                 is_scheme(ia_json_text(s->act->input, "url"), call_schemes);
    return dials || calls(s) || says(s, IA_WORDS_SEND, IA_WORDS_SYMBOL_SEND);
}

static bool has_row(const struct ia_snapshot *screen)
{
    const struct ia_element *e;
    for (size_t i = 0; screen && (e = ia_snapshot_at(screen, i)); i++) {
        if (e->role == IA_ROLE_ROW && e->reach == IA_REACH_OK) {
            return true;
        }
    }
    return false;
}

/* A swipe across a row to its end does the row's first action, which mostly is to delete it; without an element, it
 * may go across any row. */
static bool rule_delete(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool across = s->swipes && (e ? e->role == IA_ROLE_ROW : has_row(s->act->screen));
    bool key = e && e->role == IA_ROLE_KEY;
    return across || (!key && says(s, IA_WORDS_DELETE, IA_WORDS_SYMBOL_DELETE));
}

static bool rule_permissions(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool setting = s->touches && e && strcmp(s->app, SETTINGS) == 0 &&
                   e->role == IA_ROLE_SWITCH &&
                   ia_words_any(IA_WORDS_SETTING, ia_buf_cstr(&s->label), false);
    /* The system's alerts lie over the home screen's app; some devices show them in the app. */
    bool asked = strcmp(s->app, SPRINGBOARD) == 0 ||
                 ia_words_any(IA_WORDS_PERMISSION, ia_buf_cstr(&s->question), false) ||
                 (s->buttons == 0 && s->act->tool == IA_TOOL_ALERT);
    return setting || (s->answers && asked);
}

static bool has_address(const char *text)
{
    static const char *const parts[] = {"http://", "https://", "www.", "mailto:", "tel:"};
    bool found = false;
    for (size_t i = 0; i < IA_COUNTOF(parts); i++) {
        found = found || strstr(text, parts[i]);
    }
    return found;
}

static bool rule_external_links(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    if (s->act->tool == IA_TOOL_OPEN_URL) {
        return !url_is_of(ia_json_text(s->act->input, "url"), s->app);
    }
    if (!s->touches || !e || ia_role_is_field(e->role) || strcmp(s->app, SAFARI) == 0) {
        return false;
    }
    return e->role == IA_ROLE_LINK || has_address(ia_buf_cstr(&s->label)) ||
           has_address(ia_buf_cstr(&s->whole));
}

static bool rule_secret_fields(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    return ((s->touches || s->types) && e && e->role == IA_ROLE_SECURE) ||
           strstr(ia_json_text(s->act->input, "text"), "{{secret:");
}

/* A run that only scrolls through such a text does nothing that the text could have asked for. */
static bool rule_suspicious(const struct seen *s)
{
    bool scrolls =
        s->act->tool == IA_TOOL_SCROLL_TO || (s->act->tool == IA_TOOL_SWIPE && !s->swipes);
    return s->act->suspicious && !scrolls;
}

typedef bool rule_fn(const struct seen *s);
static rule_fn *const rules[IA_POLICY_RULE_COUNT] = {
    [IA_POLICY_APPS] = rule_apps,
    [IA_POLICY_TOOLS] = rule_tools,
    [IA_POLICY_BUY] = rule_buy,
    [IA_POLICY_SEND] = rule_send,
    [IA_POLICY_DELETE] = rule_delete,
    [IA_POLICY_PERMISSIONS] = rule_permissions,
    [IA_POLICY_EXTERNAL_LINKS] = rule_external_links,
    [IA_POLICY_SECRET_FIELDS] = rule_secret_fields,
    [IA_POLICY_SUSPICIOUS] = rule_suspicious,
};

static unsigned match(const struct seen *s)
{
    unsigned found = 0;
    for (unsigned i = 0; i < IA_POLICY_RULE_COUNT; i++) {
        found |= rules[i](s) ? 1U << i : 0;
    }
    return found;
}

unsigned ia_policy_match(const struct ia_policy *p, const struct ia_policy_act *act)
{
    struct seen s;
    see(&s, p, act);
    unsigned found = match(&s);
    forget(&s);
    return found;
}

static enum ia_policy_answer answer_of(const struct seen *s, unsigned rule)
{
    if (rule == IA_POLICY_APPS) {
        return IA_POLICY_DENY;
    }
    if (rule == IA_POLICY_TOOLS) {
        return names_tool(s->p->deny_tools, s->act) ? IA_POLICY_DENY : IA_POLICY_ASK;
    }
    return s->p->answer[rule];
}

enum ia_policy_answer ia_policy_judge(const struct ia_policy *p,
                                      const struct ia_policy_act *act,
                                      enum ia_policy_rule *ret_rule)
{
    enum ia_policy_answer strictest = IA_POLICY_ALLOW;
    struct seen s;
    see(&s, p, act);
    unsigned found = match(&s);
    for (unsigned i = 0; i < IA_POLICY_RULE_COUNT; i++) {
        if ((found & 1U << i) && answer_of(&s, i) > strictest) {
            strictest = answer_of(&s, i);
            *ret_rule = (enum ia_policy_rule)i;
        }
    }
    forget(&s);
    return strictest;
}
