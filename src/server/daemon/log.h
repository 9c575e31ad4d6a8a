/* log.h: HOME/daemon.log: what a daemon without a terminal did, for people. A line is when and what; at
 * IA_DAEMON_LOG_MAX bytes the file becomes daemon.log.1. Nothing that a screen shows is written. */
#ifndef IA_SERVER_DAEMON_LOG_H
#define IA_SERVER_DAEMON_LOG_H

#include "base/base.h"

#include <stdarg.h>

enum { IA_DAEMON_LOG_MAX = 5 << 20 };

struct ia_daemon_log;
/* Without a file that can be written there is no log, and that is no failure. */
struct ia_daemon_log *ia_daemon_log_open(const char *home);
void ia_daemon_log_close(struct ia_daemon_log *l); /* NULL is fine */
/* Any thread. */
void ia_daemon_log_say(struct ia_daemon_log *l, const char *fmt, ...) IA_PRINTF(2, 3);

#endif
