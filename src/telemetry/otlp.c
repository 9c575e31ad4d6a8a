/* otlp.c: writes what every signal of OTLP is made of. */
#include "telemetry/otlp.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NS_PER_US = 1000, NUMBER_SIZE = 24 };

void ia_otlp_trace_id(struct ia_jsonw *w, const char *run_id)
{
    char hex[33];
    size_t n = 0;
    for (const char *p = run_id; *p != '\0' && n + 1 < sizeof(hex); p++) {
        if (*p != '-') {
            hex[n++] = *p;
        }
    }
    hex[n] = '\0';
    ia_jsonw_kv(w, "traceId", hex);
}

uint64_t ia_otlp_span_id(const char *run_id, const char *part, struct ia_str name)
{
    uint64_t h = ia_hash(IA_HASH_SEED, run_id, strlen(run_id) + 1);
    h = ia_hash(h, part, strlen(part) + 1);
    h = ia_hash(h, name.p, name.n);
    return h ? h : 1; /* all zeros is no id */
}

void ia_otlp_put_span_id(struct ia_jsonw *w, const char *key, uint64_t id)
{
    char hex[17];
    (void)snprintf(hex, sizeof(hex), "%016" PRIx64, id);
    ia_jsonw_kv(w, key, hex);
}

void ia_otlp_member(struct ia_jsonw *w, const char *key, int64_t v)
{
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof(text), "%" PRId64, v);
    ia_jsonw_kv(w, key, text);
}

void ia_otlp_time(struct ia_jsonw *w, const char *key, int64_t wall_us)
{
    ia_otlp_member(w, key, wall_us * NS_PER_US);
}

/* ---- attributes -------------------------------------------------------------------------- */

static void begin(struct ia_jsonw *w, const char *key)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "key", key);
    ia_jsonw_key(w, "value");
    ia_jsonw_object(w);
}

static void end(struct ia_jsonw *w)
{
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

static void put_text(struct ia_jsonw *w, struct ia_str v)
{
    ia_jsonw_key(w, "stringValue");
    ia_jsonw_str(w, v);
}

void ia_otlp_text(struct ia_jsonw *w, const char *key, struct ia_str v)
{
    if (v.n > 0) {
        begin(w, key);
        put_text(w, v);
        end(w);
    }
}

void ia_otlp_texts(struct ia_jsonw *w, const char *key, struct ia_str v)
{
    if (v.n > 0) {
        begin(w, key);
        ia_jsonw_key(w, "arrayValue");
        ia_jsonw_object(w);
        ia_jsonw_key(w, "values");
        ia_jsonw_array(w);
        ia_jsonw_object(w);
        put_text(w, v);
        ia_jsonw_end_object(w);
        ia_jsonw_end_array(w);
        ia_jsonw_end_object(w);
        end(w);
    }
}

void ia_otlp_int(struct ia_jsonw *w, const char *key, int64_t v)
{
    begin(w, key);
    ia_otlp_member(w, "intValue", v);
    end(w);
}

void ia_otlp_real(struct ia_jsonw *w, const char *key, double v)
{
    begin(w, key);
    ia_jsonw_kv_real(w, "doubleValue", v);
    end(w);
}

void ia_otlp_bool(struct ia_jsonw *w, const char *key, bool v)
{
    begin(w, key);
    ia_jsonw_kv_bool(w, "boolValue", v);
    end(w);
}

/* ---- a request --------------------------------------------------------------------------- */

static void open_list(struct ia_jsonw *w, const char *before, const char *signal)
{
    char key[32];
    (void)snprintf(key, sizeof(key), "%s%s", before, signal);
    key[0] = before[0] != '\0' ? key[0] : (char)(key[0] | 0x20);
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
}

void ia_otlp_begin(struct ia_jsonw *w, const char *signal, const struct ia_otlp_resource *r)
{
    ia_jsonw_object(w);
    open_list(w, "resource", signal);
    ia_jsonw_object(w);
    ia_jsonw_key(w, "resource");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "attributes");
    ia_jsonw_array(w);
    ia_otlp_text(w, "service.name", ia_str(r->service));
    ia_otlp_text(w, "service.version", ia_str(r->version));
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    open_list(w, "scope", signal);
    ia_jsonw_object(w);
    ia_jsonw_key(w, "scope");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", IA_OTLP_SCOPE);
    ia_jsonw_kv(w, "version", r->version);
    ia_jsonw_end_object(w);
    open_list(w, "", signal);
}

void ia_otlp_end(struct ia_jsonw *w)
{
    ia_jsonw_end_array(w); /* of the signal */
    ia_jsonw_end_object(w);
    ia_jsonw_end_array(w); /* of scopes */
    ia_jsonw_end_object(w);
    ia_jsonw_end_array(w); /* of resources */
    ia_jsonw_end_object(w);
}
