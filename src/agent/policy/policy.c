/* policy.c: the rules. Each is a function from a call to whether it matches; the table joins them. */
#include "agent/policy/policy.h"

#include "agent/policy/words.h"
#include "base/textfold.h"
#include "driver/snapshot/signature.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_MAX = 8192, BUTTON_WORDS_MAX = 7, LINE_MAX = 64 };

#define SPRINGBOARD "com.apple.springboard"
#define SETTINGS "com.apple.Preferences"
#define SAFARI "com.apple.mobilesafari"

/* ---- names ------------------------------------------------------------------------------- */

static const char *const rule_names[IA_POLICY_RULE_COUNT] = {
#define NAME(id, name) name,
    IA_POLICY_RULE_LIST(NAME)
#undef NAME
};
static const char *const answer_names[IA_POLICY_ANSWER_COUNT] = {"allow", "ask", "deny"};

const char *ia_policy_rule_name(enum ia_policy_rule rule)
{
    return (unsigned)rule < IA_POLICY_RULE_COUNT ? rule_names[rule] : "";
}

const char *ia_policy_answer_name(enum ia_policy_answer answer)
{
    return (unsigned)answer < IA_POLICY_ANSWER_COUNT ? answer_names[answer] : "";
}

static int index_of(const char *const *list, int n, struct ia_str word)
{
    int i = 0;
    while (i < n && !ia_str_is(word, list[i])) {
        i++;
    }
    return i;
}

enum ia_rc ia_policy_add(struct ia_policy *p, const char *line, struct ia_err *err)
{
    size_t n = strcspn(line, "=");
    int rule = index_of(rule_names, IA_POLICY_RULE_COUNT, (struct ia_str){line, n});
    int answer =
        line[n] ? index_of(answer_names, IA_POLICY_ANSWER_COUNT, ia_str(line + n + 1)) : -1;
    if (rule == IA_POLICY_APPS || rule == IA_POLICY_RULE_COUNT || answer < 0 ||
        answer == IA_POLICY_ANSWER_COUNT) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "\"%.*s\" is not a rule of a policy", LINE_MAX, line);
        ia_err_hint(err, "RULE=ANSWER, such as delete=ask; rules: buy, send, delete, permissions, "
                         "external_links, secret_fields; answers: allow, ask, deny");
        return rc;
    }
    if (p && (int)p->answer[rule] < answer) {
        p->answer[rule] = (enum ia_policy_answer)answer;
    }
    return IA_OK;
}

bool ia_policy_is_open(const struct ia_policy *p)
{
    bool open = p->apps[0] == '\0';
    for (size_t i = 0; open && i < IA_POLICY_RULE_COUNT; i++) {
        open = p->answer[i] == IA_POLICY_ALLOW;
    }
    return open;
}

enum ia_policy_answer ia_policy_judge(const struct ia_policy *p, unsigned rules,
                                      enum ia_policy_rule *ret_rule)
{
    enum ia_policy_answer strictest = IA_POLICY_ALLOW;
    for (unsigned i = 0; i < IA_POLICY_RULE_COUNT; i++) {
        enum ia_policy_answer a = i == IA_POLICY_APPS ? IA_POLICY_DENY : p->answer[i];
        if ((rules & 1U << i) && a > strictest) {
            strictest = a;
            *ret_rule = (enum ia_policy_rule)i;
        }
    }
    return strictest;
}

/* ---- a call, read once ------------------------------------------------------------------- */

/* What the rules look at. Texts are folded. */
struct seen {
    const struct ia_policy *p;
    const struct ia_policy_act *act;
    const char *app;         /* in front; "" when unknown */
    bool touches;            /* it acts on an element or where the finger is */
    bool answers;            /* it answers an alert or an action sheet, and not by its cancelling button */
    bool submits;            /* it presses return */
    struct ia_buf label;     /* of the target or the button that is named */
    struct ia_buf whole;     /* the target's other texts */
    struct ia_buf symbol;    /* words of its identifier */
    struct ia_buf question;  /* of the alert or action sheet in front */
    size_t buttons;          /* that it has */
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

static bool is_touch(enum ia_tool tool)
{
    return tool == IA_TOOL_TAP || tool == IA_TOOL_LONG_PRESS || tool == IA_TOOL_ALERT;
}

static bool is_typing(enum ia_tool tool)
{
    return tool == IA_TOOL_TYPE_TEXT || tool == IA_TOOL_CLEAR_TEXT;
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

/* One button alone decides nothing. A dismissal is what the app made harmless, unless the tree says otherwise. */
static bool decides(const struct seen *s)
{
    const char *action = ia_json_text(s->act->input, "action");
    bool named = s->label.len > 0;
    bool harmless = named ? ia_words_any(IA_WORDS_CANCEL, ia_buf_cstr(&s->label), true) &&
                                ia_words_count(ia_buf_cstr(&s->label)) <= BUTTON_WORDS_MAX
                          : strcmp(action, "dismiss") == 0;
    bool asked = s->buttons > 1 || (s->act->tool == IA_TOOL_ALERT && s->buttons != 1);
    return is_touch(s->act->tool) && asked && !harmless;
}

static void look(struct seen *s, const struct ia_policy *p, const struct ia_policy_act *act)
{
    const char *app = act->screen ? ia_snapshot_app(act->screen) : NULL;
    const char *text = ia_json_text(act->input, "text");
    *s = (struct seen){.p = p,
                       .act = act,
                       .app = app ? app : "",
                       .touches = is_touch(act->tool),
                       .submits = act->tool == IA_TOOL_TYPE_TEXT &&
                                  (json_is_true(json_object_get(act->input, "submit")) ||
                                   strchr(text, '\n') || strchr(text, '\r')),
                       .label = IA_BUF(TEXT_MAX),
                       .whole = IA_BUF(TEXT_MAX),
                       .symbol = IA_BUF(TEXT_MAX),
                       .question = IA_BUF(TEXT_MAX)};
    struct ia_buf asked = IA_BUF(TEXT_MAX);
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
    return *text && (ia_words_any(list, text, true) || (commands && brief && ia_words_any(list, text, false)));
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
    for (size_t i = 0; s->act->screen && !found && (e = ia_snapshot_at(s->act->screen, i)); i++) {
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

/* A tool of a skill: its name, and the action that it is asked for. */
static bool tool_says(const struct seen *s, enum ia_words symbols, enum ia_words list)
{
    struct ia_buf b = IA_BUF(TEXT_MAX);
    const char *action = ia_json_text(s->act->input, "action");
    split_words(&b, s->act->name);
    ia_buf_putc(&b, ' ');
    split_words(&b, action);
    bool says = ia_words_any(symbols, ia_buf_cstr(&b), false) ||
                ia_words_any(list, ia_buf_cstr(&b), false);
    ia_buf_fini(&b);
    return says;
}

static bool says(const struct seen *s, enum ia_words list, enum ia_words symbols)
{
    const struct ia_element *e = s->act->target;
    if (s->act->tool == IA_TOOL_COUNT) {
        return tool_says(s, symbols, list);
    }
    if (s->submits && screen_offers(s, list)) {
        return true;
    }
    if (!s->touches || (e && ia_role_is_field(e->role))) {
        return false;
    }
    bool label = text_says(list, ia_buf_cstr(&s->label), !e || commands(e));
    bool symbol = ia_words_any(symbols, ia_buf_cstr(&s->symbol), false);
    bool asked = s->answers && ia_words_any(list, ia_buf_cstr(&s->question), false);
    return label || symbol || asked;
}

/* ---- the rules --------------------------------------------------------------------------- */

static bool listed(const char *apps, const char *app)
{
    size_t n = strlen(app);
    for (const char *at = apps; *at;) {
        at += strspn(at, ", \t\n");
        size_t len = strcspn(at, ", \t\n");
        if (len == n && strncasecmp(at, app, n) == 0) {
            return true;
        }
        at += len;
    }
    return false;
}

/* The home screen belongs to no app; its alerts have to be answered, and it is how to come back. */
static bool foreign(const struct seen *s, const char *app)
{
    return *app && strcmp(app, SPRINGBOARD) != 0 && !listed(s->p->apps, app);
}

static bool rule_apps(const struct seen *s)
{
    const char *named = ia_json_text(s->act->input, "bundle_id");
    bool acts = s->touches || is_typing(s->act->tool) || s->act->tool == IA_TOOL_SWIPE ||
                s->act->tool == IA_TOOL_SCROLL_TO;
    return s->p->apps[0] && (foreign(s, named) || (acts && foreign(s, s->app)));
}

/* "$4.99", "4,99 €": a button that is a price buys. */
static bool is_price(const char *text)
{
    static const char *const signs[] = {"$", "€", "£", "¥", "₩", "₹", "₽", "₺", "元", "usd", "eur"};
    bool sign = false;
    for (size_t i = 0; i < IA_COUNTOF(signs); i++) {
        sign = sign || strstr(text, signs[i]);
    }
    return sign && strpbrk(text, "0123456789") && ia_words_count(text) <= 4;
}

static bool rule_buy(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool price = s->touches && e && e->role == IA_ROLE_BUTTON && is_price(ia_buf_cstr(&s->label));
    return price || says(s, IA_WORDS_BUY, IA_WORDS_SYMBOL_BUY);
}

static bool rule_send(const struct seen *s)
{
    return says(s, IA_WORDS_SEND, IA_WORDS_SYMBOL_SEND);
}

/* A swipe across a row to the end does its first action, which is mostly to delete it. */
static bool rule_delete(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    const char *dir = ia_json_text(s->act->input, "direction");
    bool across = s->act->tool == IA_TOOL_SWIPE && e && e->role == IA_ROLE_ROW &&
                  (strcmp(dir, "left") == 0 || strcmp(dir, "right") == 0);
    bool key = e && e->role == IA_ROLE_KEY;
    return across || (!key && says(s, IA_WORDS_DELETE, IA_WORDS_SYMBOL_DELETE));
}

static bool rule_permissions(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    bool setting = s->touches && e && strcmp(s->app, SETTINGS) == 0 &&
                   (e->role == IA_ROLE_SWITCH || e->role == IA_ROLE_ROW) &&
                   ia_words_any(IA_WORDS_SETTING, ia_buf_cstr(&s->label), false);
    /* The system's own alerts lie over the home screen's app; some drivers show them in the app. */
    bool asked = strcmp(s->app, SPRINGBOARD) == 0 ||
                 ia_words_any(IA_WORDS_PERMISSION, ia_buf_cstr(&s->question), false) ||
                 (s->buttons == 0 && s->act->tool == IA_TOOL_ALERT);
    return setting || (s->answers && asked);
}

/* Schemes of the web, and whether the app in front is where they lead. */
static bool leads_out(const struct seen *s, const char *url)
{
    url += strspn(url, " \t\r\n");
    size_t n = strcspn(url, ":/?# ");
    const char *own = strrchr(s->app, '.');
    bool web = (n == 4 && strncasecmp(url, "http", 4) == 0) ||
               (n == 5 && strncasecmp(url, "https", 5) == 0);
    if (web) {
        return strcmp(s->app, SAFARI) != 0;
    }
    return !own || strlen(own + 1) != n || strncasecmp(own + 1, url, n) != 0;
}

static bool has_address(const char *text)
{
    return strstr(text, "http://") || strstr(text, "https://") || strstr(text, "www.") ||
           strstr(text, "mailto:") || strstr(text, "tel:");
}

static bool rule_external_links(const struct seen *s)
{
    const struct ia_element *e = s->act->target;
    if (s->act->tool == IA_TOOL_OPEN_URL) {
        return leads_out(s, ia_json_text(s->act->input, "url"));
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
    bool acts = s->touches || is_typing(s->act->tool);
    return (acts && e && e->role == IA_ROLE_SECURE) ||
           strstr(ia_json_text(s->act->input, "text"), "{{secret:");
}

typedef bool rule_fn(const struct seen *s);
static rule_fn *const rules[IA_POLICY_RULE_COUNT] = {
    [IA_POLICY_APPS] = rule_apps,
    [IA_POLICY_BUY] = rule_buy,
    [IA_POLICY_SEND] = rule_send,
    [IA_POLICY_DELETE] = rule_delete,
    [IA_POLICY_PERMISSIONS] = rule_permissions,
    [IA_POLICY_EXTERNAL_LINKS] = rule_external_links,
    [IA_POLICY_SECRET_FIELDS] = rule_secret_fields,
};

unsigned ia_policy_match(const struct ia_policy *p, const struct ia_policy_act *act)
{
    struct seen s;
    unsigned found = 0;
    look(&s, p, act);
    for (unsigned i = 0; i < IA_POLICY_RULE_COUNT; i++) {
        found |= rules[i](&s) ? 1U << i : 0;
    }
    forget(&s);
    return found;
}

bool ia_policy_says(enum ia_policy_rule rule, struct ia_str text, bool whole_text)
{
    static const enum ia_words list_of[IA_POLICY_RULE_COUNT] = {
        [IA_POLICY_BUY] = IA_WORDS_BUY,
        [IA_POLICY_SEND] = IA_WORDS_SEND,
        [IA_POLICY_DELETE] = IA_WORDS_DELETE,
        [IA_POLICY_PERMISSIONS] = IA_WORDS_PERMISSION,
    };
    struct ia_buf b = IA_BUF(TEXT_MAX);
    ia_text_fold(&b, text);
    bool found = text_says(list_of[rule], ia_buf_cstr(&b), !whole_text);
    ia_buf_fini(&b);
    return found;
}
