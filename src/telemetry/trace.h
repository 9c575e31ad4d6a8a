/* trace.h: a run that is over as OpenTelemetry's trace and metrics, written from its row and its events.
 *
 *   invoke_agent AGENT          the run, from when it was begun to its end; what happened to it as span events
 *   ├─ chat MODEL               an answer of the model
 *   └─ execute_tool TOOL        a tool call
 *      └─ device KIND           the time of that call in operations of the device, all together
 *
 * The same rows give the same bytes, so what is sent again after a kill replaces what was sent before. A subtask's run
 * stands in the trace of the run that nobody delegated, below the call that delegated it.
 *
 * Names, numbers and codes only: no text of a goal, a screen, a message or a model is read from an event.
 * Source: OpenTelemetry's semantic conventions 1.41 for GenAI: agent spans, Anthropic, metrics
 * (opentelemetry.io/docs/specs/semconv/gen-ai, 2026-11). What they have no name for begins with ios_agent. */
#ifndef IA_TELEMETRY_TRACE_H
#define IA_TELEMETRY_TRACE_H

#include "store/store.h"
#include "telemetry/otlp.h"

enum { IA_TRACE_BYTES_MAX = 16 << 20, IA_TRACE_DEPTH_MAX = 32 };

/* Appends the bodies of POST /v1/traces and POST /v1/metrics; metrics stays empty for a run that asked no model. IA_E_STATE for
 * a run that is not over, IA_E_LIMIT beyond the cap of a buffer. */
enum ia_rc ia_trace_write(struct ia_store *store, const char *run_id,
                          const struct ia_otlp_resource *resource, struct ia_buf *traces,
                          struct ia_buf *metrics, struct ia_err *err);

#endif
