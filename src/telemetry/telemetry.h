/* telemetry.h: sends runs that are over to an OpenTelemetry collector, by OTLP over HTTP in JSON.
 *
 *   a run ends ──► its id, in a queue with a cap ──► one thread: its rows ─► trace.h ─► POST /v1/traces, /v1/metrics
 *
 * Whoever does runs says that one is over, which never blocks; all else is read from the store. While the collector
 * does not answer, the oldest run is tried again and others wait; a run for which there is no more room is dropped and counted. A
 * run that the collector refuses (400, 401, …) is dropped, too. No run waits for any of this, and none fails by it: a line
 * of the log says what was dropped.
 *
 * The thread begins with the first run that is over, and libcurl is loaded then. Where nothing is to be sent there is no
 * struct ia_telemetry, and NULL is fine everywhere. */
#ifndef IA_TELEMETRY_TELEMETRY_H
#define IA_TELEMETRY_TELEMETRY_H

#include "base/err.h"
#include "store/store.h"

struct ia_telemetry;

enum {
    IA_TELEMETRY_QUEUE_MAX = 256, /* runs */
    IA_TELEMETRY_FLUSH_MS = 2000  /* that the end of a process may wait for a collector */
};

struct ia_telemetry_opts {
    struct ia_store *store; /* borrowed */
    const char *
        endpoint; /* "http://127.0.0.1:4318", with or without "/" at its end; all texts are copied */
    struct ia_str headers;         /* as OTEL_EXPORTER_OTLP_HEADERS has them; empty: none */
    const char *service, *version; /* of this program */
    int64_t flush_ms;              /* 0: IA_TELEMETRY_FLUSH_MS */
    int64_t pause_ms; /* before the first repeat, doubled for each further one; 0: 1 s */
};
/* Connects to nothing. IA_E_USAGE for headers that are none; IA_E_IO where no descriptors are left. */
enum ia_rc ia_telemetry_new(const struct ia_telemetry_opts *opts, struct ia_telemetry **ret,
                            struct ia_err *err);
/* Any thread. */
void ia_telemetry_run_ended(struct ia_telemetry *t, const char *run_id);

struct ia_telemetry_counts {
    int64_t sent, dropped; /* runs, since the process began */
    int64_t
        rejected; /* spans and data points that the collector did not want, of what was sent */
};
void ia_telemetry_counts(struct ia_telemetry *t, struct ia_telemetry_counts *ret);
/* Sends what waits, for at most flush_ms; what is left is dropped. */
void ia_telemetry_close(struct ia_telemetry *t);

#endif
