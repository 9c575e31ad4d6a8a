/* log.h: structured log, one JSON line an event.
 *
 *     IA_LOG(IA_LOG_INFO, "retry", IA_S("run", id), IA_I("status", 429));
 *
 * Log or return, never both: only the owner of a failed operation logs it. Nothing is written
 * before ia_log_open. Thread-safe; a line is one write(2). Never pass a secret. */
#ifndef IA_BASE_LOG_H
#define IA_BASE_LOG_H

#include "base/base.h"
#include "base/err.h"

enum ia_log_level { IA_LOG_DEBUG, IA_LOG_INFO, IA_LOG_WARN, IA_LOG_ERROR, IA_LOG_OFF };

struct ia_kv {
    const char *key; /* NULL ends the list */
    const char *s;   /* NULL: the value is i */
    int64_t i;
};

static inline struct ia_kv ia_kv_text(const char *key, const char *s)
{
    return (struct ia_kv){key, s ? s : "", 0};
}

/* Lines that this thread writes from now on name the run that it works on, as "run", unless they say so themselves.
 * Copied; NULL: none. */
void ia_log_run(const char *run_id);

#define IA_S(k, v) ia_kv_text((k), (v)) /* NULL is the empty string */
#define IA_I(k, v) ((struct ia_kv){(k), NULL, (int64_t)(v)})
#define IA_LOG(level, event, ...)                                                              \
    do {                                                                                       \
        if (ia_log_on(level)) {                                                                \
            ia_log_write(level, event, (const struct ia_kv[]){__VA_ARGS__, {0}});              \
        }                                                                                      \
    } while (0)

/* Appends to the file (created 0600); NULL path logs to stderr. Replaces an earlier target. */
enum ia_rc ia_log_open(const char *path, enum ia_log_level level, struct ia_err *err);
void ia_log_close(void);
bool ia_log_on(enum ia_log_level level);
void ia_log_write(enum ia_log_level level, const char *event, const struct ia_kv *kvs);
/* "debug", "info", "warn", "error", "off"; false for anything else. */
bool ia_log_level_parse(const char *text, enum ia_log_level *ret);

#endif
