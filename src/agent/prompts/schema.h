/* schema.h: the small part of JSON Schema that the tool files use, checked strictly.
 *
 * Known keywords: type (object, array, string, integer, number, boolean), properties, required,
 * additionalProperties:false, items, maxItems, enum (of strings), minLength, maxLength (bytes),
 * minimum, maximum; description is ignored. Pure; any thread. */
#ifndef IA_AGENT_PROMPTS_SCHEMA_H
#define IA_AGENT_PROMPTS_SCHEMA_H

#include "base/err.h"

#include <jansson.h>

/* IA_E_CONFIG when a schema uses anything else, or is not an object schema with
 * additionalProperties:false; where names the place for the message. */
enum ia_rc ia_schema_lint(const json_t *schema, const char *where, struct ia_err *err);

/* IA_E_USAGE with a text that names the field, what is wrong and what is allowed. where is the
 * tool's name. */
enum ia_rc ia_schema_check(const json_t *schema, const json_t *value, const char *where,
                           struct ia_err *err);

#endif
