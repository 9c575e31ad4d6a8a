/* headers.h: headers for a collector, as the environment has them (private to telemetry/). */
#ifndef IA_TELEMETRY_HEADERS_H
#define IA_TELEMETRY_HEADERS_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_OTLP_HEADERS_MAX = 8 };

/* OTEL_EXPORTER_OTLP_HEADERS, "api-key=abc,x-tenant=a%20b", as lines "api-key: abc": values are percent-decoded, white space
 * around a name or a value does not count, an empty member neither (OpenTelemetry specification,
 * protocol exporters, 2026-11). ret is ended by NULL; free it with ia_otlp_headers_free, which wipes it. IA_E_USAGE, with nothing
 * of a value in its message, for what is no header and for too many of them. */
enum ia_rc ia_otlp_headers_parse(struct ia_str text, char *ret[IA_OTLP_HEADERS_MAX + 1],
                                 struct ia_err *err);
void ia_otlp_headers_free(char *headers[IA_OTLP_HEADERS_MAX + 1]);

#endif
