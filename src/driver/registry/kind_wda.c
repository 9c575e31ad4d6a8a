/* kind_wda.c: "wda:URL?SETTINGS" and "appium:URL?SETTINGS", a phone behind WebDriverAgent.
 *
 *   wda:http://127.0.0.1:8100              WebDriverAgent itself; "http://" may be left out
 *   appium:http://127.0.0.1:4723?caps=FILE through an Appium server, with capabilities in a JSON file
 *
 * Settings are joined by "&": take (end another client's session), token-file=FILE (a login), and for
 * Appium udid=UDID and caps=FILE. <home>/wda/NAME.json records the session. */
#include "base/base64.h"
#include "base/fd.h"
#include "base/hash.h"
#include "driver/registry/kinds.h"
#include "driver/wda/wda.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_MAX = 2048, VALUE_MAX = 1024, CAPABILITIES_MAX = 1 << 20 };

/* ---- settings --------------------------------------------------------------------------- */

struct settings {
    char caps[VALUE_MAX], udid[VALUE_MAX], token_file[VALUE_MAX];
    bool take;
};

static const struct {
    const char *key;
    size_t offset;
    bool appium_only;
} texts[] = {
    {"token-file=", offsetof(struct settings, token_file), false},
    {"udid=", offsetof(struct settings, udid), true},
    {"caps=", offsetof(struct settings, caps), true},
};

/* Takes one setting; false if it is unknown. */
static bool read_one(struct ia_str s, bool appium, struct settings *ret)
{
    if (ia_str_is(s, "take")) {
        ret->take = true;
        return true;
    }
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        size_t n = strlen(texts[i].key);
        if (ia_str_starts(s, ia_str(texts[i].key)) && s.n > n && s.n - n < VALUE_MAX &&
            (appium || !texts[i].appium_only)) {
            char *to = (char *)ret + texts[i].offset;
            memcpy(to, s.p + n, s.n - n);
            to[s.n - n] = '\0';
            return true;
        }
    }
    return false;
}

/* How much of an unknown setting a message quotes: not its value, which may be a secret. */
static size_t shown(const char *setting)
{
    size_t n = strcspn(setting, "=&");
    return n < 60 ? n : 60;
}

static enum ia_rc read_settings(const struct ia_device_spec *spec, struct settings *ret,
                                struct ia_err *err)
{
    bool appium = strcmp(spec->kind->scheme, "appium") == 0;
    memset(ret, 0, sizeof(*ret));
    for (const char *p = spec->query; p;) {
        size_t n = strcspn(p, "&");
        if (!read_one((struct ia_str){p, n}, appium, ret)) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE, "--device %s: there is no setting \"%.*s\"",
                           spec->kind->scheme, (int)shown(p), p);
            ia_err_hint(err, "settings, joined by \"&\": take, token-file=FILE%s",
                        appium ? ", caps=FILE, udid=UDID" : "");
            return rc;
        }
        p = p[n] == '&' ? p + n + 1 : NULL;
    }
    return IA_OK;
}

/* ---- the name --------------------------------------------------------------------------- */

static enum ia_rc bad_name(const struct ia_device_spec *spec, const char *why,
                           struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "--device %s: %s", spec->kind->scheme, why);
    ia_err_hint(err, "write it as in %s", spec->kind->help);
    return rc;
}

/* "127.0.0.1:8100" and "http://127.0.0.1:8100/" are one place, and so one lane. */
static enum ia_rc normalize(struct ia_device_spec *spec, struct ia_err *err)
{
    char url[sizeof(spec->name) + 8];
    const char *name = spec->name;
    bool bare = !strstr(name, "://");
    size_t most = sizeof(spec->name) - strlen(spec->kind->scheme) - 1;
    int n = snprintf(url, sizeof(url), "%s%s", bare ? "http://" : "", name);
    size_t end = (size_t)n;
    while (end > 0 && url[end - 1] == '/') {
        end--;
    }
    url[end] = '\0';
    char *host = strstr(url, "://");
    for (char *p = url; host && *p != '\0' && (p < host + 3 || *p != '/'); p++) {
        *p = (char)tolower((unsigned char)*p);
    }
    if (end >= most) {
        return bad_name(spec, "the address is too long", err);
    }
    memcpy(spec->name, url, end + 1);
    return IA_OK;
}

/* It has no character that a URL must escape, that ends its path, or that is invisible. */
static bool plain(const char *text)
{
    while (isgraph((unsigned char)*text) && !strchr("#\"<>\\^`{|}", *text)) {
        text++;
    }
    return *text == '\0';
}

/* What is wrong with HOST[:PORT][/PATH]; NULL: nothing. */
static const char *wrong_place(const char *at)
{
    const char *end = at[0] == '[' ? strchr(at, ']') : NULL;
    end = end ? end + 1 : at + strcspn(at, ":/");
    size_t digits = *end == ':' ? strspn(end + 1, "0123456789") : 0;
    unsigned long port = digits > 0 && digits < 6 ? strtoul(end + 1, NULL, 10) : 0;
    if (end == at || !plain(at) || !strchr(":/", *end)) {
        return "that is no http or https address";
    }
    bool sound = *end != ':' || (port > 0 && port < 65536 && strchr("/", end[1 + digits]));
    return sound ? NULL : "what stands behind the host's colon is no port from 1 to 65535";
}

static enum ia_rc parse(struct ia_device_spec *spec, const char *given, struct ia_err *err)
{
    struct settings ignored;
    (void)given;
    enum ia_rc rc = normalize(spec, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* "http:" alone is what is left of "http://". */
    bool http = strncmp(spec->name, "http://", 7) == 0;
    const char *at =
        http || strncmp(spec->name, "https://", 8) == 0 ? strstr(spec->name, "://") + 3 : "";
    if (strchr(at, '@')) {
        return bad_name(spec,
                        "a login does not belong into the address, which is shown: put it "
                        "into a file, ?token-file=FILE, or into IOS_AGENT_DEVICE_TOKEN",
                        err);
    }
    const char *wrong = wrong_place(at);
    return wrong ? bad_name(spec, wrong, err) : read_settings(spec, &ignored, err);
}

/* ---- open ------------------------------------------------------------------------------- */

/* "USER:PASSWORD" is a login, anything else a token. */
static void put_authorization(struct ia_str token, struct ia_buf *out)
{
    if (!memchr(token.p, ':', token.n)) {
        ia_buf_printf(out, "Bearer %.*s", (int)token.n, token.p);
        return;
    }
    ia_buf_puts(out, "Basic ");
    char *to = ia_buf_reserve(out, IA_BASE64_SIZE(token.n));
    if (to) {
        ia_buf_grew(out, ia_base64_encode(token.p, token.n, to));
    }
}

/* The first line of the file, or of the environment's variable if no file is named. */
static enum ia_rc read_authorization(const struct ia_device_spec *spec, const char *file,
                                     struct ia_buf *out, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(TOKEN_MAX);
    enum ia_rc rc = IA_OK;
    if (file[0] != '\0') {
        rc = ia_file_read(file, &text, err);
    } else {
        ia_buf_puts(&text, ia_device_spec_token(spec));
    }
    struct ia_str token = {ia_buf_cstr(&text), strcspn(ia_buf_cstr(&text), "\r\n")};
    if (rc == IA_OK && file[0] != '\0' && token.n == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "%s contains no token", file);
    }
    if (rc == IA_OK && token.n > 0) {
        put_authorization(token, out);
        rc = ia_buf_check(out, "the token", err);
    }
    ia_buf_fini(&text);
    return rc;
}

/* Whichever of the names of this computer somebody writes, it is one device. Also of kinds whose names are no
 * addresses. */
static void put_lane(const struct ia_device_spec *spec, struct ia_buf *out)
{
    static const char *const names[] = {"localhost", "[::1]"};
    const char *place = strstr(spec->name, "://"), *host = place ? place + 3 : spec->name;
    const char *rest = host;
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        size_t n = strlen(names[i]);
        rest = strncmp(host, names[i], n) == 0 && strchr(":/", host[n]) ? host + n : rest;
    }
    ia_buf_printf(out, "%s:", spec->kind->scheme);
    ia_buf_put(out, spec->name, (size_t)(host - spec->name));
    ia_buf_printf(out, "%s%s", rest != host ? "127.0.0.1" : "", rest);
}

/* Whether the name can be told from its file's, where all signs but letters, digits and dots are one:
 * HOST, HOST:PORT, or a UDID with a dash. */
static bool is_told(const char *name)
{
    const char *host = strstr(name, "://");
    size_t marks = 0;
    char mark = '\0';
    for (const char *p = host ? host + 3 : name; *p != '\0'; p++) {
        bool is_mark = !isalnum((unsigned char)*p) && *p != '.';
        marks += is_mark;
        mark = is_mark ? *p : mark;
    }
    return marks == 0 || (marks == 1 && mark == (host ? ':' : '-'));
}

enum ia_rc ia_device_wda_session_file(const struct ia_device_spec *spec, char **ret,
                                      struct ia_err *err)
{
    char *folder = ia_path_join(spec->paths->home, "wda");
    struct ia_buf lane = IA_BUF(256), file = IA_BUF(512);
    enum ia_rc rc = ia_mkdirs(folder, err);
    put_lane(spec, &lane);
    const char *name = ia_buf_cstr(&lane) + strlen(spec->kind->scheme) + 1;
    ia_buf_printf(&file, "%s-", spec->kind->scheme);
    for (const char *p = name; *p != '\0'; p++) {
        ia_buf_putc(&file, isalnum((unsigned char)*p) || *p == '.' ? *p : '_');
    }
    if (!is_told(name)) {
        ia_buf_printf(&file, "-%016" PRIx64, ia_hash(IA_HASH_SEED, name, strlen(name)));
    }
    ia_buf_puts(&file, ".json");
    *ret = rc == IA_OK ? ia_path_join(folder, ia_buf_cstr(&file)) : NULL;
    ia_buf_fini(&file);
    ia_buf_fini(&lane);
    free(folder);
    return rc;
}

/* What opening and describing both need. */
struct prepared {
    struct settings settings;
    struct ia_buf lane, authorization, capabilities;
    struct ia_wda_options opt;
};

static enum ia_rc prepare(const struct ia_device_spec *spec, struct prepared *ret,
                          struct ia_err *err)
{
    *ret = (struct prepared){.lane = IA_BUF(512),
                             .authorization = IA_BUF(2 * TOKEN_MAX),
                             .capabilities = IA_BUF(CAPABILITIES_MAX)};
    struct settings *s = &ret->settings;
    bool appium = strcmp(spec->kind->scheme, "appium") == 0;
    enum ia_rc rc = read_settings(spec, s, err);
    rc = rc == IA_OK ? read_authorization(spec, s->token_file, &ret->authorization, err) : rc;
    /* A device of a sweep is named without settings. */
    const char *caps = s->caps[0] != '\0' ? s->caps : appium ? ia_device_spec_caps(spec) : NULL;
    if (rc == IA_OK && caps && caps[0] != '\0') {
        rc = ia_file_read(caps, &ret->capabilities, err);
    }
    put_lane(spec, &ret->lane);
    ret->opt = (struct ia_wda_options){
        .url = spec->name,
        .dialect = appium ? IA_WDA_APPIUM : IA_WDA_DIRECT,
        .lane = ia_buf_cstr(&ret->lane),
        .udid = s->udid[0] != '\0' ? s->udid : NULL,
        .capabilities = ret->capabilities.len > 0 ? ia_buf_cstr(&ret->capabilities) : NULL,
        .authorization = ret->authorization.len > 0 ? ia_buf_cstr(&ret->authorization) : NULL,
        .take = s->take};
    return rc;
}

static void prepared_fini(struct prepared *p)
{
    ia_buf_fini(&p->lane);
    ia_buf_fini(&p->authorization);
    ia_buf_fini(&p->capabilities);
}

/* fresh: running apps go on, because nothing here can reset a phone. */
static enum ia_rc open_wda(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, bool fresh,
                           struct ia_device **ret, struct ia_err *err)
{
    struct prepared p;
    char *file = NULL;
    enum ia_rc rc = prepare(spec, &p, err);
    if (rc == IA_OK && fresh) {
        rc = ia_device_cannot("be reset", err);
    }
    rc = rc == IA_OK ? ia_device_wda_session_file(spec, &file, err) : rc;
    if (rc == IA_OK) {
        p.opt.session_file = file;
        rc = ia_wda_open(&p.opt, deadline, ret, err);
    }
    free(file);
    prepared_fini(&p);
    return rc;
}

static enum ia_rc describe(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err)
{
    struct prepared p;
    enum ia_rc rc = prepare(spec, &p, err);
    rc = rc == IA_OK ? ia_wda_describe(&p.opt, deadline, out, err) : rc;
    prepared_fini(&p);
    return rc;
}

const struct ia_device_kind ia_device_kind_wda = {
    .scheme = "wda",
    .help = "wda:http://HOST:8100 for WebDriverAgent",
    .reaches_out = true,
    .parse = parse,
    .lane = put_lane,
    .open = open_wda,
    .describe = describe,
};

const struct ia_device_kind ia_device_kind_appium = {
    .scheme = "appium",
    .help = "appium:http://HOST:4723?caps=FILE for an Appium server",
    .reaches_out = true,
    .parse = parse,
    .lane = put_lane,
    .open = open_wda,
    .describe = describe,
};
