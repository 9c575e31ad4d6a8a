/* service.h: the files by which launchd (macOS) or systemd (Linux) keep the daemon running for
 * one user.
 *
 * A home has a service of its own: the default home's is called ios-agent, that of another one
 * carries the beginning of the SHA-256 of its path, so that two of them do not replace each
 * other. No secret is written: the daemon reads the stored key.
 *
 * Source of the facts: launchd.plist(5) of macOS; systemd.unit(5), systemd.exec(5),
 * systemd.service(5) and systemd.syntax(7) of systemd 252. */
#ifndef IA_CLI_SYS_SERVICE_H
#define IA_CLI_SYS_SERVICE_H

#include "base/buf.h"
#include "base/err.h"

enum ia_service_kind { IA_SERVICE_LAUNCHD, IA_SERVICE_SYSTEMD };

enum { IA_SERVICE_ENV_MAX = 8, IA_SERVICE_NAME_MAX = 64, IA_SERVICE_BYTES_MAX = 64 << 10 };

struct ia_service {
    enum ia_service_kind kind;
    const char *name;    /* as ia_service_name makes it */
    const char *program; /* absolute */
    const char *home;    /* IOS_AGENT_HOME, absolute; also where it starts */
    const char *log;     /* where its lines go; launchd only, systemd has its journal */
    /* Further variables; the values are not secrets. */
    struct {
        const char *name, *value;
    } env[IA_SERVICE_ENV_MAX];
    size_t env_count;
};

/* "ios-agent", or, for a home that the user named, "ios-agent-1a2b3c4d". */
void ia_service_name(const char *named_home, char ret[IA_SERVICE_NAME_MAX]);
/* "ios-agent.plist" or "ios-agent.service". */
void ia_service_file(const struct ia_service *s, char ret[IA_SERVICE_NAME_MAX + 16]);

/* Appends the file's text. IA_E_USAGE when a value holds what such a file cannot: a control
 * character, or bytes that are not UTF-8. */
enum ia_rc ia_service_text(const struct ia_service *s, struct ia_buf *out, struct ia_err *err);

#endif
