/* service.c: a launchd property list or a systemd unit, as text.
 *
 * Nothing is written or started here (cmd_daemon_install.c does that), so that tests compare whole
 * files. Every value is checked first: a control character would end a line of a unit file. */
#include "cli/sys/service.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "base/xml.h"

#include <stdio.h>
#include <string.h>

/* Longer than the daemon's own grace (cmd_daemon.c), so that it is not killed within it. */
enum { STOP_S = 40, RESTART_S = 10 };

void ia_service_name(const char *named_home, char ret[IA_SERVICE_NAME_MAX])
{
    char hex[IA_SHA256_HEX_SIZE] = "";
    if (named_home) {
        ia_sha256_hex(named_home, strlen(named_home), hex);
    }
    (void)snprintf(ret, IA_SERVICE_NAME_MAX, named_home ? "ios-agent-%.8s" : "ios-agent%s",
                   hex);
}

void ia_service_file(const struct ia_service *s, char ret[IA_SERVICE_NAME_MAX + 16])
{
    (void)snprintf(ret, IA_SERVICE_NAME_MAX + 16, "%s.%s", s->name,
                   s->kind == IA_SERVICE_LAUNCHD ? "plist" : "service");
}

/* ---- what may stand in such a file ------------------------------------------------------- */

static bool is_clean(const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        size_t len = ia_utf8_valid_len(text + i, n - i);
        unsigned char c = (unsigned char)text[i];
        if (len == 0 || c < 0x20 || c == 0x7f) {
            return false;
        }
        i += len;
    }
    return true;
}

static enum ia_rc check(const char *what, const char *value, struct ia_err *err)
{
    if (is_clean(value)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(
        err, IA_E_USAGE, "%s contains a character that is not allowed in a service file", what);
    ia_err_hint(err, "use a path without line breaks and control characters");
    return rc;
}

static enum ia_rc check_all(const struct ia_service *s, struct ia_err *err)
{
    enum ia_rc rc = check("the program's path", s->program, err);
    if (rc == IA_OK) {
        rc = check("IOS_AGENT_HOME", s->home, err);
    }
    for (size_t i = 0; rc == IA_OK && i < s->env_count; i++) {
        rc = check(s->env[i].name, s->env[i].value, err);
    }
    return rc;
}

/* ---- launchd ----------------------------------------------------------------------------- */

static void put_key(struct ia_buf *out, const char *key, const char *value)
{
    ia_buf_printf(out, "\t<key>%s</key>\n\t<string>", key);
    ia_xml_escape(out, ia_str(value));
    ia_buf_puts(out, "</string>\n");
}

static void put_variable(struct ia_buf *out, const char *name, const char *value)
{
    ia_buf_printf(out, "\t\t<key>%s</key>\n\t\t<string>", name);
    ia_xml_escape(out, ia_str(value));
    ia_buf_puts(out, "</string>\n");
}

static void put_launchd(const struct ia_service *s, struct ia_buf *out)
{
    ia_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                     "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                     "<plist version=\"1.0\">\n<dict>\n");
    put_key(out, "Label", s->name);
    ia_buf_puts(out, "\t<key>ProgramArguments</key>\n\t<array>\n\t\t<string>");
    ia_xml_escape(out, ia_str(s->program));
    ia_buf_puts(out, "</string>\n\t\t<string>daemon</string>\n\t</array>\n"
                     "\t<key>EnvironmentVariables</key>\n\t<dict>\n");
    put_variable(out, "IOS_AGENT_HOME", s->home);
    for (size_t i = 0; i < s->env_count; i++) {
        put_variable(out, s->env[i].name, s->env[i].value);
    }
    ia_buf_puts(out, "\t</dict>\n");
    put_key(out, "WorkingDirectory", s->home);
    put_key(out, "StandardOutPath", s->log);
    put_key(out, "StandardErrorPath", s->log);
    ia_buf_printf(out,
                  "\t<key>RunAtLoad</key>\n\t<true/>\n"
                  "\t<key>KeepAlive</key>\n\t<dict>\n"
                  "\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n"
                  "\t<key>ThrottleInterval</key>\n\t<integer>%d</integer>\n"
                  "\t<key>ExitTimeOut</key>\n\t<integer>%d</integer>\n"
                  "</dict>\n</plist>\n",
                  RESTART_S, STOP_S);
}

/* ---- systemd ----------------------------------------------------------------------------- */

/* "%" begins a specifier everywhere, "$" a variable in a command line. */
static void put_unit(struct ia_buf *out, const char *text, const char *doubled)
{
    for (; *text != '\0'; text++) {
        if (strchr(doubled, *text)) {
            ia_buf_putc(out, *text);
        }
        ia_buf_putc(out, *text);
    }
}

static void put_quoted(struct ia_buf *out, const char *text, const char *doubled)
{
    struct ia_buf plain = IA_BUF(IA_SERVICE_BYTES_MAX);
    put_unit(&plain, text, doubled);
    for (const char *p = ia_buf_cstr(&plain); *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, *p);
    }
    ia_buf_fini(&plain);
}

static void put_environment(struct ia_buf *out, const char *name, const char *value)
{
    ia_buf_printf(out, "Environment=\"%s=", name);
    put_quoted(out, value, "%");
    ia_buf_puts(out, "\"\n");
}

static void put_systemd(const struct ia_service *s, struct ia_buf *out)
{
    ia_buf_puts(out, "[Unit]\nDescription=ios-agent: queued runs and schedules of ");
    put_unit(out, s->home, "%");
    ia_buf_puts(out, "\n\n[Service]\nExecStart=\"");
    put_quoted(out, s->program, "%$");
    ia_buf_puts(out, "\" daemon\n");
    put_environment(out, "IOS_AGENT_HOME", s->home);
    for (size_t i = 0; i < s->env_count; i++) {
        put_environment(out, s->env[i].name, s->env[i].value);
    }
    ia_buf_puts(out, "WorkingDirectory=");
    put_unit(out, s->home, "%");
    ia_buf_printf(out,
                  "\n"
                  "Restart=on-failure\n"
                  "RestartSec=%d\n"
                  "# An error in the configuration does not fix itself.\n"
                  "RestartPreventExitStatus=2\n"
                  "# Actions in progress are finished first.\n"
                  "KillMode=mixed\n"
                  "TimeoutStopSec=%d\n"
                  "\n"
                  "[Install]\n"
                  "WantedBy=default.target\n",
                  RESTART_S, STOP_S);
}

enum ia_rc ia_service_text(const struct ia_service *s, struct ia_buf *out, struct ia_err *err)
{
    enum ia_rc rc = check_all(s, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (s->kind == IA_SERVICE_LAUNCHD) {
        put_launchd(s, out);
    } else {
        put_systemd(s, out);
    }
    return ia_buf_check(out, "the service file", err);
}
