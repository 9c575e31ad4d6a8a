/* usage.h: tokens and time of a run's requests as the histograms of the GenAI conventions (private to telemetry/).
 *
 * gen_ai.client.token.usage and gen_ai.client.operation.duration, with the buckets that the conventions name. They are deltas:
 * what this run added, so that a process that does one run and ends tells all there is. */
#ifndef IA_TELEMETRY_USAGE_H
#define IA_TELEMETRY_USAGE_H

#include "events/events.h"
#include "telemetry/otlp.h"

enum {
    IA_USAGE_MODELS_MAX =
        4, /* a run has an acting model and a verifier; more of them count with the last */
    IA_USAGE_MODEL_BYTES = 80,
    IA_USAGE_BOUNDS = 14
};

enum ia_usage_kind { IA_USAGE_INPUT, IA_USAGE_OUTPUT, IA_USAGE_SECONDS, IA_USAGE_KINDS };

struct ia_usage_histogram {
    int64_t count, buckets[IA_USAGE_BOUNDS + 1];
    double sum;
};

struct ia_usage {
    size_t count;
    struct {
        char name[IA_USAGE_MODEL_BYTES];
        struct ia_usage_histogram of[IA_USAGE_KINDS];
    } models[IA_USAGE_MODELS_MAX];
};

/* All that was sent to the model: the conventions count what came from the cache as well. */
int64_t ia_usage_input(const struct ia_event_usage *u);
void ia_usage_add(struct ia_usage *u, struct ia_str model,
                  const struct ia_event_request_finished *e);
/* Writes the body of POST /v1/metrics, of what was between those two times. */
void ia_usage_write(const struct ia_usage *u, const struct ia_otlp_resource *r,
                    const char *provider, int64_t from_us, int64_t until_us,
                    struct ia_buf *out);

#endif
