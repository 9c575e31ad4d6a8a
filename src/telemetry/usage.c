/* usage.c: fills histograms, and writes them. */
#include "telemetry/usage.h"

#include <stdio.h>
#include <string.h>

enum { DELTA = 1, MS_PER_S = 1000 };

static const double token_bounds[IA_USAGE_BOUNDS] = {
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};
static const double second_bounds[IA_USAGE_BOUNDS] = {
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92};

static const double *bounds_of(enum ia_usage_kind kind)
{
    return kind == IA_USAGE_SECONDS ? second_bounds : token_bounds;
}

/* ---- counting ---------------------------------------------------------------------------- */

int64_t ia_usage_input(const struct ia_event_usage *u)
{
    return u->input + u->cache_read + u->cache_write;
}

/* A bucket holds what is at most its bound. */
static void record(struct ia_usage_histogram *h, enum ia_usage_kind kind, double v)
{
    const double *bounds = bounds_of(kind);
    size_t i = 0;
    while (i < IA_USAGE_BOUNDS && v > bounds[i]) {
        i++;
    }
    h->buckets[i]++;
    h->count++;
    h->sum += v;
}

static size_t place_of(struct ia_usage *u, const char *model)
{
    size_t i = 0;
    while (i < u->count && strcmp(u->models[i].name, model) != 0) {
        i++;
    }
    if (i < u->count || i == IA_USAGE_MODELS_MAX) {
        return i < IA_USAGE_MODELS_MAX ? i : IA_USAGE_MODELS_MAX - 1;
    }
    (void)snprintf(u->models[i].name, sizeof(u->models[i].name), "%s", model);
    u->count++;
    return i;
}

void ia_usage_add(struct ia_usage *u, struct ia_str model,
                  const struct ia_event_request_finished *e)
{
    char name[IA_USAGE_MODEL_BYTES];
    (void)snprintf(name, sizeof(name), "%.*s", (int)model.n, model.n > 0 ? model.p : "");
    struct ia_usage_histogram *h = u->models[place_of(u, name)].of;
    record(&h[IA_USAGE_INPUT], IA_USAGE_INPUT, (double)ia_usage_input(&e->usage));
    record(&h[IA_USAGE_OUTPUT], IA_USAGE_OUTPUT, (double)e->usage.output);
    record(&h[IA_USAGE_SECONDS], IA_USAGE_SECONDS, (double)e->ms / MS_PER_S);
}

/* ---- writing ----------------------------------------------------------------------------- */

struct span_of_time {
    int64_t from_us, until_us;
};

static void put_buckets(struct ia_jsonw *w, const struct ia_usage_histogram *h,
                        const double bounds[IA_USAGE_BOUNDS])
{
    char text[24];
    ia_jsonw_key(w, "bucketCounts");
    ia_jsonw_array(w);
    for (size_t i = 0; i <= IA_USAGE_BOUNDS; i++) {
        (void)snprintf(text, sizeof(text), "%lld", (long long)h->buckets[i]);
        ia_jsonw_string(w, text);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "explicitBounds");
    ia_jsonw_array(w);
    for (size_t i = 0; i < IA_USAGE_BOUNDS; i++) {
        ia_jsonw_real(w, bounds[i]);
    }
    ia_jsonw_end_array(w);
}

static void put_point(struct ia_jsonw *w, const struct ia_usage *u, size_t model,
                      enum ia_usage_kind kind, const char *provider, struct span_of_time time)
{
    const struct ia_usage_histogram *h = &u->models[model].of[kind];
    const char *type = kind == IA_USAGE_INPUT    ? "input"
                       : kind == IA_USAGE_OUTPUT ? "output"
                                                 : "";
    ia_jsonw_object(w);
    ia_jsonw_key(w, "attributes");
    ia_jsonw_array(w);
    ia_otlp_text(w, "gen_ai.operation.name", ia_str("chat"));
    ia_otlp_text(w, "gen_ai.provider.name", ia_str(provider));
    ia_otlp_text(w, "gen_ai.request.model", ia_str(u->models[model].name));
    ia_otlp_text(w, "gen_ai.token.type", ia_str(type));
    ia_jsonw_end_array(w);
    ia_otlp_time(w, "startTimeUnixNano", time.from_us);
    ia_otlp_time(w, "timeUnixNano", time.until_us);
    ia_otlp_member(w, "count", h->count);
    ia_jsonw_kv_real(w, "sum", h->sum);
    put_buckets(w, h, bounds_of(kind));
    ia_jsonw_end_object(w);
}

static void put_metric(struct ia_jsonw *w, const struct ia_usage *u, enum ia_usage_kind first,
                       enum ia_usage_kind last, const char *provider, struct span_of_time time)
{
    bool tokens = first != IA_USAGE_SECONDS;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name",
                tokens ? "gen_ai.client.token.usage" : "gen_ai.client.operation.duration");
    ia_jsonw_kv(w, "unit", tokens ? "{token}" : "s");
    ia_jsonw_key(w, "histogram");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "aggregationTemporality", DELTA);
    ia_jsonw_key(w, "dataPoints");
    ia_jsonw_array(w);
    for (size_t i = 0; i < u->count; i++) {
        for (int kind = (int)first; kind <= (int)last; kind++) {
            put_point(w, u, i, (enum ia_usage_kind)kind, provider, time);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

void ia_usage_write(const struct ia_usage *u, const struct ia_otlp_resource *r,
                    const char *provider, int64_t from_us, int64_t until_us, struct ia_buf *out)
{
    const struct span_of_time time = {from_us, until_us};
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_otlp_begin(&w, "Metrics", r);
    put_metric(&w, u, IA_USAGE_INPUT, IA_USAGE_OUTPUT, provider, time);
    put_metric(&w, u, IA_USAGE_SECONDS, IA_USAGE_SECONDS, provider, time);
    ia_otlp_end(&w);
}
