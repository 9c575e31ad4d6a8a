/* otlp.h: the words of OTLP in JSON (private to telemetry/).
 *
 * Source: the section "JSON Protobuf Encoding" of the OTLP specification 1.x (opentelemetry.io/docs/specs/otlp, 2026-11): keys in
 * lowerCamelCase, 64-bit integers as strings, ids in hexadecimal digits, enums as numbers. Attributes whose value is
 * empty are left out. */
#ifndef IA_TELEMETRY_OTLP_H
#define IA_TELEMETRY_OTLP_H

#include "base/jsonw.h"

#define IA_OTLP_SCOPE "ios-agent"

/* Who tells. */
struct ia_otlp_resource {
    const char *service, *version;
};

enum ia_otlp_span_kind { IA_OTLP_INTERNAL = 1, IA_OTLP_CLIENT = 3 };

/* Trace and span ids follow from the id of the run, so that what is sent twice has the same ids. trace: the 16 bytes of the
 * run's UUID. A part of a run ("call/toolu_1") has the id that both say together. */
void ia_otlp_trace_id(struct ia_jsonw *w, const char *run_id);
uint64_t ia_otlp_span_id(const char *run_id, const char *part, struct ia_str name);
void ia_otlp_put_span_id(struct ia_jsonw *w, const char *key, uint64_t id);

/* {"resourceSpans":[{"resource":…,"scopeSpans":[{"scope":…,"spans":[ and its end; signal is "Spans" or
 * "Metrics". */
void ia_otlp_begin(struct ia_jsonw *w, const char *signal, const struct ia_otlp_resource *r);
void ia_otlp_end(struct ia_jsonw *w);

/* A member whose value is a 64-bit integer: "key":"17". */
void ia_otlp_member(struct ia_jsonw *w, const char *key, int64_t v);
/* "startTimeUnixNano" and the like, from microseconds. */
void ia_otlp_time(struct ia_jsonw *w, const char *key, int64_t wall_us);

/* Attributes, into an array that is open. */
void ia_otlp_text(struct ia_jsonw *w, const char *key, struct ia_str v);
void ia_otlp_texts(struct ia_jsonw *w, const char *key, struct ia_str v); /* a list of one */
void ia_otlp_int(struct ia_jsonw *w, const char *key, int64_t v);
void ia_otlp_real(struct ia_jsonw *w, const char *key, double v);
void ia_otlp_bool(struct ia_jsonw *w, const char *key, bool v);

#endif
