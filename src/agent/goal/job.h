/* job.h: a goal with everything that a run of it needs, as one JSON object.
 *
 * The form in which a run, a schedule or a sweep keeps what it is to do, and in which a server may
 * take a request:
 *
 *   {"goal":TEXT,"name","app","hint","fails","agent","model","verifier_model","effort",
 *    "verify":"auto"|"always"|"off","pictures":"end"|"steps"|"off"|"sharp","expect":[TEXT…],
 *    "budget":{"max_steps","max_seconds","max_tokens","max_usd"},"policy":{RULE:"ask"|"deny"},"answer_tokens":N,"context_tokens":N,"tries":N,
 *    "demo":BOOL,"fresh":BOOL,
 *    "setup":[{"do":"reset"|"launch"|"terminate"|"open-url","value":TEXT}…],
 *    "secrets":[NAME…],"continue":BOOL,"device":TEXT,"recording":ID,"replay":"auto"|"only","strict":BOOL,
 *    "vars":["NAME=VALUE"…],"goal_hash":TEXT}
 *
 * goal is required; a member that is NULL, empty, 0 or false is left out. The secrets are
 * names, never values. Expectations are not parsed here: ia_run_check does that. Pure; a job
 * may be read by any number of threads.
 *
 * A server refuses these members from a client that it does not trust with the machine: secrets (the
 * run can type the values of any environment variable named so into any app), goal_hash (the run could become the
 * recording of another goal), agent and continue (what
 * the agent remembers), setup (reset deletes, open-url opens anything), device (any device), demo,
 * expectations that run commands (also where its own user allows them to himself), and budgets above its
 * own. */
#ifndef IA_AGENT_GOAL_JOB_H
#define IA_AGENT_GOAL_JOB_H

#include "agent/goal/request.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonw.h"

enum {
    IA_JOB_BYTES_MAX = 256 << 10,
    IA_JOB_EXPECTS_MAX = 64,
    IA_JOB_SETUP_MAX = 32,
    IA_JOB_SECRETS_MAX = 16,
    IA_JOB_VARS_MAX = 32
};

struct ia_job;
struct json_t;

/* Appends the object. device is the device as the user named it, or NULL. Strings must be UTF-8
 * (bytes that are not become U+FFFD). A buffer of IA_JOB_BYTES_MAX holds what ia_job_parse
 * takes; failure is the buffer's. */
void ia_job_write(const struct ia_run_request *req, const char *device, struct ia_buf *out);

/* IA_E_PARSE for what is not such an object (an unknown member, a wrong type, a missing value,
 * a number out of range), IA_E_LIMIT beyond the caps. Free with ia_job_free. */
enum ia_rc ia_job_parse(struct ia_str json, struct ia_job **ret, struct ia_err *err);
/* The same for a parsed object; takes over the reference to doc, also on failure. */
enum ia_rc ia_job_take(struct json_t *doc, struct ia_job **ret, struct ia_err *err);
void ia_job_free(struct ia_job *job);

/* Writes the JSON schema of the object above. */
void ia_job_schema(struct ia_jsonw *w);

/* Borrowed from the job. The request's device is that of ia_job_device. */
const struct ia_run_request *ia_job_request(const struct ia_job *job);
const char *ia_job_device(const struct ia_job *job); /* NULL when none was named */

#endif
