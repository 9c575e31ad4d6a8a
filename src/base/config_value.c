/* config_value.c: one value: from text to its type, checked by the row of its key, and back.
 *
 * Every source gives text (a TOML value is turned into it first), so the environment, flags and
 * files obey the same rules. Each parser leaves the canonical text beside the typed value, which
 * is what `ios-agent config` shows. */
#include "base/config_schema.h"

#include "base/urlquery.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a refused value a message repeats. */
enum { QUOTED_MAX = 60, NUMBER_MAX = 40 };

const struct ia_config_row ia_config_rows[IA_CFG_COUNT] = {
#define ROW(id, key, type, scope, setter, def, min, max, choices, variable2, help)             \
    [IA_CFG_##id] = {key,                                                                      \
                     IA_CFG_##type,                                                            \
                     IA_CFG_SCOPE_##scope,                                                     \
                     IA_CFG_SETTER_##setter,                                                   \
                     def,                                                                      \
                     min,                                                                      \
                     max,                                                                      \
                     choices,                                                                  \
                     variable2,                                                                \
                     help},
    IA_CONFIG_LIST(ROW)
#undef ROW
};

void ia_config_value_fini(struct ia_config_value *v)
{
    for (char **item = v->items; item && *item; item++) {
        free(*item);
    }
    free(v->items);
    free(v->text);
    free(v->where);
    *v = (struct ia_config_value){0};
}

void ia_config_variable(const char *key, char *dst, size_t size)
{
    (void)snprintf(dst, size, "IOS_AGENT_%s", key);
    for (char *p = dst; *p; p++) {
        if (*p >= 'a' && *p <= 'z') {
            *p = (char)(*p - 'a' + 'A');
        } else if (*p == '.') {
            *p = '_';
        }
    }
}

const char *ia_config_type_name(enum ia_config_type type)
{
    static const char *const names[] = {
        [IA_CFG_STRING] = "a string",
        [IA_CFG_PATH] = "a path in a string",
        [IA_CFG_URL] = "a URL",
        [IA_CFG_INT] = "an integer",
        [IA_CFG_HOOK] = "a URL or a command",
        [IA_CFG_REAL] = "a number",
        [IA_CFG_BOOL] = "true or false",
        [IA_CFG_ENUM] = "one of a few",
        [IA_CFG_LIST] = "a list of strings",
    };
    return names[type];
}

/* The refused text in quotes, cut and harmless to print. */
static const char *quoted(struct ia_str text, struct ia_buf *b)
{
    *b = IA_BUF(QUOTED_MAX * 6 + 16);
    size_t n = text.n > QUOTED_MAX ? ia_utf8_cut(text.p, QUOTED_MAX) : text.n;
    ia_buf_putc(b, '"');
    ia_json_escape(b, (struct ia_str){text.p, n});
    ia_buf_puts(b, n < text.n ? "…\"" : "\"");
    return ia_buf_cstr(b);
}

static enum ia_rc refuse(const struct ia_config_row *row, struct ia_str text, const char *must,
                         struct ia_err *err)
{
    struct ia_buf b;
    enum ia_rc rc =
        ia_err_set(err, IA_E_CONFIG, "%s must be %s, not %s", row->key, must, quoted(text, &b));
    ia_buf_fini(&b);
    return rc;
}

/* Text that may stand in a header, a path or a message: UTF-8 without control characters. */
static enum ia_rc check_text(const struct ia_config_row *row, struct ia_str text,
                             struct ia_err *err)
{
    if (text.n > IA_CONFIG_VALUE_MAX) {
        return ia_err_set(err, IA_E_CONFIG, "%s is longer than %d bytes", row->key,
                          IA_CONFIG_VALUE_MAX);
    }
    for (size_t i = 0, n = 0; i < text.n; i += n) {
        n = ia_utf8_valid_len(text.p + i, text.n - i);
        unsigned char c = (unsigned char)text.p[i];
        if (n == 0 || c < 0x20 || c == 0x7F) {
            return ia_err_set(err, IA_E_CONFIG, "%s contains %s at byte %zu", row->key,
                              n == 0 ? "bytes that are not UTF-8" : "a control character", i);
        }
    }
    return IA_OK;
}

static enum ia_rc refuse_range(const struct ia_config_row *row, struct ia_str text,
                               struct ia_err *err)
{
    char must[2 * NUMBER_MAX + 16];
    (void)snprintf(must, sizeof(must), "between %.15g and %.15g", row->min, row->max);
    return refuse(row, text, must, err);
}

static enum ia_rc parse_int(const struct ia_config_row *row, struct ia_str text,
                            struct ia_config_value *v, struct ia_err *err)
{
    char digits[NUMBER_MAX];
    char *end = digits;
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)(text.n < NUMBER_MAX ? text.n : 0),
                   text.p);
    errno = 0;
    long long n = strtoll(digits, &end, 10);
    /* strtoll would also skip blanks and take a plus sign. */
    bool starts_well = digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9');
    if (!starts_well || *end) {
        return refuse(row, text, ia_config_type_name(row->type), err);
    }
    if (errno == ERANGE || (double)n < row->min || (double)n > row->max) {
        return refuse_range(row, text, err);
    }
    v->i = n;
    (void)snprintf(digits, sizeof(digits), "%lld", n);
    v->text = ia_strdup(digits);
    return IA_OK;
}

static enum ia_rc parse_real(const struct ia_config_row *row, struct ia_str text,
                             struct ia_config_value *v, struct ia_err *err)
{
    char digits[NUMBER_MAX];
    char *end = digits;
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)(text.n < NUMBER_MAX ? text.n : 0),
                   text.p);
    double r = strtod(digits, &end);
    /* strtod also knows "inf", "nan" and hexadecimal. */
    bool plain = digits[0] && strspn(digits, "+-.0123456789eE") == strlen(digits) && !*end;
    if (!plain) {
        return refuse(row, text, ia_config_type_name(row->type), err);
    }
    if (!isfinite(r) || r < row->min || r > row->max) {
        return refuse_range(row, text, err);
    }
    struct ia_buf b = IA_BUF(NUMBER_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_real(&w, r);
    v->r = r;
    v->text = ia_buf_steal(&b);
    return IA_OK;
}

static enum ia_rc parse_bool(const struct ia_config_row *row, struct ia_str text,
                             struct ia_config_value *v, struct ia_err *err)
{
    v->i = ia_str_is(text, "true") || ia_str_is(text, "1");
    if (!v->i && !ia_str_is(text, "false") && !ia_str_is(text, "0")) {
        return refuse(row, text, ia_config_type_name(row->type), err);
    }
    v->text = ia_strdup(v->i ? "true" : "false");
    return IA_OK;
}

/* "auto|always|off" as "one of auto, always, off"; an empty choice is not worth a word. */
static void list_choices(const char *choices, struct ia_buf *out)
{
    ia_buf_puts(out, "one of ");
    for (const char *p = choices + (choices[0] == '|'); *p; p++) {
        ia_buf_put(out, *p == '|' ? ", " : p, *p == '|' ? 2 : 1);
    }
}

static enum ia_rc parse_enum(const struct ia_config_row *row, struct ia_str text,
                             struct ia_config_value *v, struct ia_err *err)
{
    const char *p = row->choices;
    for (v->i = 0;; v->i++) {
        size_t n = strcspn(p, "|");
        if (ia_str_eq(text, (struct ia_str){p, n})) {
            v->text = ia_strndup(p, n);
            return IA_OK;
        }
        if (!p[n]) {
            break;
        }
        p += n + 1;
    }
    struct ia_buf must = IA_BUF(256);
    list_choices(row->choices, &must);
    enum ia_rc rc = refuse(row, text, ia_buf_cstr(&must), err);
    ia_buf_fini(&must);
    return rc;
}

/* scheme://[user[:password]@]host[...]: the place of "user:password@", which may be empty. */
static struct ia_str url_userinfo(struct ia_str url)
{
    const char *host = memchr(url.p, '/', url.n);
    host = host ? host + 2 : url.p;
    size_t n = strcspn(host, "/?#");
    const char *at = NULL;
    for (size_t i = 0; i < n; i++) {
        at = host[i] == '@' ? host + i : at;
    }
    return (struct ia_str){host, at ? (size_t)(at + 1 - host) : 0};
}

/* The length of "scheme://", of one of the two schemes; 0: it begins with neither. */
static size_t url_scheme(struct ia_str text, const char *schemes)
{
    for (const char *p = schemes; *p;) {
        size_t n = strcspn(p, "|");
        if (text.n > n + 3 && memcmp(text.p, p, n) == 0 && memcmp(text.p + n, "://", 3) == 0) {
            return n + 3;
        }
        p += n + (p[n] ? 1 : 0);
    }
    return 0;
}

/* The refused text is not repeated: it may hold a password. */
static enum ia_rc parse_url(const struct ia_config_row *row, struct ia_str text,
                            struct ia_config_value *v, struct ia_err *err)
{
    const char *schemes = row->choices && row->choices[0] ? row->choices : "https|http";
    size_t scheme = url_scheme(text, schemes);
    char *copy = ia_strndup(text.p, text.n);
    size_t host = 0;
    if (scheme > 0) {
        struct ia_str userinfo = url_userinfo((struct ia_str){copy, text.n});
        host = strcspn(copy + scheme + userinfo.n, "/?#: ");
    }
    if (text.n > 0 && (host == 0 || strchr(copy, ' '))) {
        int first = (int)strcspn(schemes, "|");
        free(copy);
        return ia_err_set(err, IA_E_CONFIG,
                          "%s must be a URL that begins with %.*s:// or %s:// and names a host",
                          row->key, first, schemes, schemes + first + 1);
    }
    v->text = copy;
    return IA_OK;
}

/* A word with "://" is meant as a URL. */
static enum ia_rc parse_hook(const struct ia_config_row *row, struct ia_str text,
                             struct ia_config_value *v, struct ia_err *err)
{
    char *copy = ia_strndup(text.p, text.n);
    bool url = strstr(copy, "://") && !strpbrk(copy, " \t");
    if (!url) {
        v->text = copy;
        return IA_OK;
    }
    free(copy);
    return parse_url(row, text, v, err);
}

static enum ia_rc parse_path(const struct ia_config_row *row, struct ia_str text,
                             const char *folder, const char *home, struct ia_config_value *v,
                             struct ia_err *err)
{
    char *copy = ia_strndup(text.p, text.n);
    bool tilde = strcmp(copy, "~") == 0 || strncmp(copy, "~/", 2) == 0;
    if (tilde && !home) {
        free(copy);
        return ia_err_set(err, IA_E_CONFIG, "%s begins with ~, but HOME is not set", row->key);
    }
    if (tilde) {
        v->text = copy[1] ? ia_path_join(home, copy + 2) : ia_strdup(home);
    } else {
        v->text = copy[0] ? ia_path_join(folder, copy) : ia_strdup("");
    }
    free(copy);
    return IA_OK;
}

/* Takes the next item of "a, b" from *rest, without the blanks around it. */
static struct ia_str next_item(struct ia_str *rest)
{
    const char *comma = memchr(rest->p, ',', rest->n);
    struct ia_str item = {rest->p, comma ? (size_t)(comma - rest->p) : rest->n};
    size_t used = item.n + (comma != NULL);
    *rest = (struct ia_str){rest->p + used, rest->n - used};
    while (item.n > 0 && item.p[0] == ' ') {
        item = (struct ia_str){item.p + 1, item.n - 1};
    }
    while (item.n > 0 && item.p[item.n - 1] == ' ') {
        item.n--;
    }
    return item;
}

static enum ia_rc refuse_count(const struct ia_config_row *row, struct ia_err *err)
{
    return ia_err_set(err, IA_E_CONFIG, "%s has more than %d items", row->key,
                      IA_CONFIG_ITEMS_MAX);
}

/* Empty items are left out. */
static enum ia_rc parse_list(const struct ia_config_row *row, struct ia_str text,
                             struct ia_config_value *v, struct ia_err *err)
{
    size_t count = 0;
    v->items = ia_calloc(IA_CONFIG_ITEMS_MAX + 1, sizeof(*v->items));
    while (text.n > 0) {
        struct ia_str item = next_item(&text);
        if (item.n > 0 && count == IA_CONFIG_ITEMS_MAX) {
            ia_config_value_fini(v);
            return refuse_count(row, err);
        }
        if (item.n > 0) {
            v->items[count++] = ia_strndup(item.p, item.n);
        }
    }
    return IA_OK;
}

enum ia_rc ia_config_value_items(const struct ia_config_row *row, const char *const *items,
                                 size_t count, struct ia_config_value *ret, struct ia_err *err)
{
    if (count > IA_CONFIG_ITEMS_MAX) {
        return refuse_count(row, err);
    }
    for (size_t i = 0; i < count; i++) {
        enum ia_rc rc = check_text(row, ia_str(items[i]), err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    struct ia_config_value v = {.items = ia_calloc(count + 1, sizeof(*v.items))};
    for (size_t i = 0; i < count; i++) {
        v.items[i] = ia_strdup(items[i]);
    }
    *ret = v;
    return IA_OK;
}

enum ia_rc ia_config_value_parse(const struct ia_config_row *row, struct ia_str text,
                                 const char *folder, const char *home,
                                 struct ia_config_value *ret, struct ia_err *err)
{
    struct ia_config_value v = {0};
    if (!text.p) {
        text = ia_str("");
    }
    enum ia_rc rc = check_text(row, text, err);
    if (rc != IA_OK) {
        return rc;
    }
    switch (row->type) {
    case IA_CFG_STRING:
        v.text = ia_strndup(text.p, text.n);
        break;
    case IA_CFG_PATH:
        rc = parse_path(row, text, folder, home, &v, err);
        break;
    case IA_CFG_URL:
        rc = parse_url(row, text, &v, err);
        break;
    case IA_CFG_HOOK:
        rc = parse_hook(row, text, &v, err);
        break;
    case IA_CFG_INT:
        rc = parse_int(row, text, &v, err);
        break;
    case IA_CFG_REAL:
        rc = parse_real(row, text, &v, err);
        break;
    case IA_CFG_BOOL:
        rc = parse_bool(row, text, &v, err);
        break;
    case IA_CFG_ENUM:
        rc = parse_enum(row, text, &v, err);
        break;
    case IA_CFG_LIST:
        rc = parse_list(row, text, &v, err);
        break;
    }
    if (rc == IA_OK) {
        *ret = v;
    }
    return rc;
}

void ia_config_value_show(const struct ia_config_row *row, const struct ia_config_value *v,
                          struct ia_buf *out)
{
    struct ia_str text = ia_str(v->text);
    if (row->type == IA_CFG_HOOK &&
        (ia_str_starts(text, ia_str("https://")) || ia_str_starts(text, ia_str("http://")))) {
        ia_url_server(out, v->text);
        return;
    }
    struct ia_str userinfo = row->type == IA_CFG_URL ? url_userinfo(text) : (struct ia_str){0};
    if (userinfo.n == 0) {
        ia_buf_putstr(out, text);
        return;
    }
    size_t before = (size_t)(userinfo.p - text.p);
    ia_buf_put(out, text.p, before);
    ia_buf_puts(out, "***@");
    ia_buf_puts(out, text.p + before + userinfo.n);
}
