/* server_info.h: reads the INFO line that a NATS server sends first, which has its version. libnats 3.4.1 does not expose
 * it. */
#ifndef IA_FLEET_SERVER_INFO_H
#define IA_FLEET_SERVER_INFO_H

#include "base/base.h"
#include "base/err.h"

enum { IA_SERVER_INFO_MAX = 64 << 10 };

/* Whether the one server of that URL is on this machine; false for several. Pure. */
bool ia_server_is_local(const char *url);
/* Whether version is not older than least, by its three numbers; "2.11.0-beta.1" counts as 2.11.0. Pure. */
bool ia_version_at_least(const char *version, const char *least);
/* Checks an INFO line. IA_E_UNSUPPORTED as for ia_server_check, IA_E_PARSE for any other line. Pure. */
enum ia_rc ia_server_judge(struct ia_str line, const char *least, struct ia_err *err);
/* Connects to the first server of the URL, and reads that line. IA_E_UNSUPPORTED if it is too old or has no
 * JetStream; IA_E_IO if it does not answer within 5 s; IA_E_USAGE for a URL without a host. */
enum ia_rc ia_server_check(const char *url, const char *least, struct ia_err *err);

#endif
