/* config.h: the configuration: one table of keys, four sources, the last wins.
 *
 *   default < user file < project file < environment < flags
 *
 * Every key is one line of IA_CONFIG_LIST. In a file `run.max_steps` is `max_steps` under
 * [run]; in the environment it is IOS_AGENT_RUN_MAX_STEPS. A key, type or value that is not
 * known is IA_E_CONFIG with file:line:column (or the variable, or the flag) and the nearest
 * known name. A variable that is empty counts as not set.
 *
 * A loaded configuration may be read by any number of threads; ia_config_set is for the time
 * before. Values are borrowed until ia_config_free, or until the same key is set again. */
#ifndef IA_BASE_CONFIG_H
#define IA_BASE_CONFIG_H

#include "base/buf.h"
#include "base/defaults.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "base/paths.h"

/* X(id, "section.key", type, scope, setter, "default", min, max, "choices", "second variable", "help")
 *
 * scope ANY: from every source. scope USER: not from the project file, because a project that
 * was only cloned must not decide where the API key is sent or which file is written to.
 * setter TOKEN: also a page or a script may set it, with a token that may act. setter OWNER: only the
 * user of this machine, because who sets it says where the API key is sent, which program runs, which
 * file is read or written, or who may talk to the daemon.
 * Defaults are written as they would be in the environment. min and max are inclusive and only
 * for INT and REAL; choices are "a|b|c" for ENUM, whose value is the index in them.
 * PATH: a relative path in a file starts at that file's folder, elsewhere at the working
 * folder; "~/" is the user's home folder. URL: http or https, or the two schemes that choices has; a password in it is never shown. HOOK: a
 * URL, of which only the server is shown, or a command of /bin/sh. */
#define IA_CONFIG_LIST(X)                                                                      \
    X(RUN_MODEL, "run.model", STRING, ANY, TOKEN, IA_DEFAULT_MODEL, 0, 0, "", "",              \
      "model that acts")                                                                       \
    X(RUN_VERIFIER_MODEL, "run.verifier_model", STRING, ANY, TOKEN, "", 0, 0, "", "",          \
      "model that checks a pass; empty: the acting model")                                     \
    X(RUN_EFFORT, "run.effort", ENUM, ANY, TOKEN, "", 0, 0, "|low|medium|high|xhigh|max", "",  \
      "effort asked of the model; empty: the model's own default")                             \
    X(RUN_VERIFY, "run.verify", ENUM, ANY, TOKEN, "auto", 0, 0, "auto|always|off", "",         \
      "whether a second model call checks a pass; auto: only without expectations")            \
    X(RUN_ALLOW_COMMANDS, "run.allow_commands", BOOL, USER, OWNER, "false", 0, 0, "", "",      \
      "expectations may run commands")                                                         \
    X(RUN_ALLOW_SKILLS, "run.allow_skills", BOOL, USER, OWNER, "false", 0, 0, "", "",          \
      "skills of a project may run without being trusted first")                               \
    X(RUN_MAX_STEPS, "run.max_steps", INT, ANY, TOKEN, IA_DEFAULT_TEXT(IA_DEFAULT_STEPS), 1,   \
      1000, "", "", "tool calls of one run")                                                   \
    X(RUN_MAX_SECONDS, "run.max_seconds", INT, ANY, TOKEN, "900", 0, 604800, "", "",           \
      "seconds of one run; 0: no limit")                                                       \
    X(RUN_MAX_TOKENS, "run.max_tokens", INT, ANY, TOKEN, "0", 0, 1e12, "", "",                 \
      "tokens of one run, input and output; 0: no limit")                                      \
    X(RUN_MAX_USD, "run.max_usd", REAL, ANY, TOKEN, "0", 0, 1e6, "", "",                       \
      "cost of one run; 0: no limit")                                                          \
    X(RUN_CONTEXT_TOKENS, "run.context_tokens", INT, ANY, TOKEN,                               \
      IA_DEFAULT_TEXT(IA_DEFAULT_CONTEXT_TOKENS), 0, 1000000, "", "",                          \
      "tokens above which a summary replaces the conversation; 0: never")                      \
    X(RUN_PICTURES, "run.pictures", ENUM, ANY, TOKEN, "end", 0, 0, "end|steps|off|sharp", "",  \
      "screenshots that are kept: of every step that acts (sharp: in pixels), of the end, or " \
      "none")                                                                                  \
    X(RUN_REPLAY, "run.replay", ENUM, ANY, TOKEN, "off", 0, 0, "off|auto|only", "",            \
      "repeat a goal from its recording; auto: a model takes over where the app has changed")  \
    X(RUN_PLAN, "run.plan", ENUM, USER, OWNER, "off", 0, 0, "off|show|ask", "",                \
      "make a plan before anything is touched and show it; ask: a person has to approve it")   \
    X(RUN_STRICT, "run.strict", ENUM, ANY, TOKEN, "auto", 0, 0, "auto|true|false", "",         \
      "a healed run is no success; auto: if the variable CI is set")                           \
    X(RUN_DELEGATE_DEVICES, "run.delegate_devices", STRING, USER, OWNER, "", 0, 0, "", "",     \
      "devices that a subtask may name besides its run's own, separated by spaces")            \
    X(RUN_DELEGATE_DEPTH, "run.delegate_depth", INT, ANY, TOKEN, "2", 0, 8, "", "",            \
      "how deep subtasks nest; 0: none")                                                       \
    X(RUN_DELEGATE_RUNS, "run.delegate_runs", INT, ANY, TOKEN, "16", 0, 200, "", "",           \
      "how many subtasks one run may have")                                                    \
    X(RUN_DEVICE, "run.device", STRING, ANY, TOKEN, "embedded", 0, 0, "", "IOS_AGENT_DEVICE",  \
      "device that a run drives")                                                              \
    X(RUN_APP, "run.app", STRING, ANY, TOKEN, "", 0, 0, "", "",                                \
      "bundle id that a run is locked to; empty: none")                                        \
    X(POLICY_BUY, "policy.buy", ENUM, ANY, OWNER, "allow", 0, 0, "allow|ask|deny", "",         \
      "what costs money: allow, ask a person, or deny")                                        \
    X(POLICY_SEND, "policy.send", ENUM, ANY, OWNER, "allow", 0, 0, "allow|ask|deny", "",       \
      "what reaches other people: allow, ask a person, or deny")                               \
    X(POLICY_DELETE, "policy.delete", ENUM, ANY, OWNER, "allow", 0, 0, "allow|ask|deny", "",   \
      "what is gone afterwards: allow, ask a person, or deny")                                 \
    X(POLICY_PERMISSIONS, "policy.permissions", ENUM, ANY, OWNER, "allow", 0, 0,               \
      "allow|ask|deny", "",                                                                    \
      "alerts that grant an app something: allow, ask a person, or deny")                      \
    X(POLICY_EXTERNAL_LINKS, "policy.external_links", ENUM, ANY, OWNER, "allow", 0, 0,         \
      "allow|ask|deny", "", "what leads to another app: allow, ask a person, or deny")         \
    X(POLICY_SECRET_FIELDS, "policy.secret_fields", ENUM, ANY, OWNER, "allow", 0, 0,           \
      "allow|ask|deny", "", "password fields and secrets: allow, ask a person, or deny")       \
    X(POLICY_SUSPICIOUS, "policy.suspicious", ENUM, ANY, OWNER, "ask", 0, 0, "allow|ask|deny", \
      "",                                                                                      \
      "what is done once a screen showed text that gives orders: allow, ask a person, or "     \
      "deny")                                                                                  \
    X(POLICY_APPS, "policy.apps", STRING, USER, OWNER, "", 0, 0, "", "",                       \
      "bundle ids of the apps that may be used, with commas between; empty: all")              \
    X(POLICY_ASK_TOOLS, "policy.ask_tools", STRING, USER, OWNER, "", 0, 0, "", "",             \
      "tools that need a person, as TOOL, SKILL:TOOL or SKILL:*, with commas between")         \
    X(POLICY_DENY_TOOLS, "policy.deny_tools", STRING, USER, OWNER, "", 0, 0, "", "",           \
      "tools that are never used, likewise")                                                   \
    X(POLICY_ASK_SECONDS, "policy.ask_seconds", INT, USER, OWNER, "0", 0, 31536000, "", "",    \
      "seconds after which a question counts as denied; 0: never")                             \
    X(POLICY_NOTIFY, "policy.notify", HOOK, USER, OWNER, "", 0, 0, "", "",                     \
      "URL or command that is told when a run asks; empty: none")                              \
    X(QUEUE_MAX_RUNS, "queue.max_runs", INT, ANY, TOKEN, IA_DEFAULT_TEXT(IA_DEFAULT_RUNS), 1,  \
      256, "", "", "runs at once, over all devices")                                           \
    X(API_BASE_URL, "api.base_url", URL, USER, OWNER, IA_DEFAULT_API_URL, 0, 0, "",            \
      "ANTHROPIC_BASE_URL", "server of the Messages API, without /v1")                         \
    X(API_VERSION, "api.version", STRING, ANY, OWNER, IA_DEFAULT_API_VERSION, 0, 0, "", "",    \
      "value of the anthropic-version header")                                                 \
    X(API_PROXY, "api.proxy", URL, USER, OWNER, "", 0, 0, "", "",                              \
      "HTTP proxy; empty: HTTPS_PROXY and NO_PROXY decide")                                    \
    X(API_CA_BUNDLE, "api.ca_bundle", PATH, USER, OWNER, "", 0, 0, "", "",                     \
      "PEM file with the authorities to trust; empty: the system's")                           \
    X(API_ALLOW_HTTP, "api.allow_http", BOOL, USER, OWNER, "false", 0, 0, "", "",              \
      "send the key over plain http to another machine; loopback is always allowed")           \
    X(API_MODELS_FILE, "api.models_file", PATH, USER, OWNER, "", 0, 0, "", "",                 \
      "limits and prices of models instead of the built-in ones; empty: those")                \
    X(API_MAX_RETRIES, "api.max_retries", INT, ANY, TOKEN,                                     \
      IA_DEFAULT_TEXT(IA_DEFAULT_RETRIES), 0, 100, "", "",                                     \
      "how often one request is retried while the service is busy (429, 529); other "          \
      "failures: 2 at most")                                                                   \
    X(API_IDLE_TIMEOUT_S, "api.idle_timeout_s", INT, ANY, TOKEN,                               \
      IA_DEFAULT_TEXT(IA_DEFAULT_IDLE_S), 1, 3600, "", "",                                     \
      "seconds without a byte after which a stream counts as broken")                          \
    X(API_MAX_TOKENS, "api.max_tokens", INT, ANY, TOKEN,                                       \
      IA_DEFAULT_TEXT(IA_DEFAULT_ANSWER_TOKENS), 512, 1000000, "", "",                         \
      "most tokens of one answer")                                                             \
    X(RUNNER_START_S, "runner.start_s", INT, ANY, TOKEN,                                       \
      IA_DEFAULT_TEXT(IA_DEFAULT_RUNNER_START_S), 1, 3600, "", "",                             \
      "seconds that a runner may take to answer, for each way to start it")                    \
    X(RUNNER_SKIP_QUIESCENCE, "runner.skip_quiescence", BOOL, ANY, OWNER, "false", 0, 0, "",   \
      "",                                                                                      \
      "have XCTest not wait for apps to be idle: faster, by a switch that Apple keeps "        \
      "private")                                                                               \
    X(DAEMON_IDLE_SECONDS, "daemon.idle_seconds", INT, USER, TOKEN,                            \
      IA_DEFAULT_TEXT(IA_DEFAULT_DAEMON_IDLE_S), 0, 31536000, "", "",                          \
      "seconds without work after which a daemon that a command started ends; 0: never")       \
    X(DAEMON_HTTP, "daemon.http", INT, USER, OWNER, "-1", -1, 65535, "", "",                   \
      "port on which the daemon also serves this machine by HTTP; 0: any free one; -1: none")  \
    X(HTTP_ALLOWED_HOSTS, "http.allowed_hosts", STRING, USER, OWNER, "", 0, 0, "", "",         \
      "names (host or host:port, commas between) under which a reverse proxy may ask the "     \
      "daemon")                                                                                \
    X(FETCH_ALLOW_ADDRESSES, "fetch.allow_addresses", STRING, USER, OWNER, "", 0, 0, "", "",   \
      "addresses (IP:PORT, commas between) that fetch_url may reach although they are not "    \
      "public")                                                                                \
    X(FETCH_ALLOWED_DOMAINS, "fetch.allowed_domains", STRING, USER, OWNER, "", 0, 0, "", "",   \
      "domains (commas between) that fetch_url may read from; empty: all")                     \
    X(FETCH_BLOCKED_DOMAINS, "fetch.blocked_domains", STRING, USER, OWNER, "", 0, 0, "", "",   \
      "domains (commas between) that fetch_url may not read from")                             \
    X(FETCH_MAX_BYTES, "fetch.max_bytes", INT, ANY, TOKEN, "2097152", 1024, 8388608, "", "",   \
      "bytes of one page that are read, unpacked")                                             \
    X(FETCH_MAX_SECONDS, "fetch.max_seconds", INT, ANY, TOKEN, "20", 1, 120, "", "",           \
      "seconds that one fetch_url may take, redirects included")                               \
    X(WEB_SEARCH_ALLOWED_DOMAINS, "web_search.allowed_domains", STRING, USER, OWNER, "", 0, 0, \
      "", "", "domains (commas between) that web_search may find pages of; empty: all")        \
    X(WEB_SEARCH_BLOCKED_DOMAINS, "web_search.blocked_domains", STRING, USER, OWNER, "", 0, 0, \
      "", "", "domains (commas between) that web_search finds no pages of")                    \
    X(WEB_SEARCH_MAX_USES, "web_search.max_uses", INT, ANY, TOKEN, "5", 1, 20, "", "",         \
      "searches that the service may make for one request, at $0.01 each")                     \
    X(TELEMETRY_OTLP_ENDPOINT, "telemetry.otlp_endpoint", URL, USER, OWNER, "", 0, 0, "",      \
      "OTEL_EXPORTER_OTLP_ENDPOINT",                                                           \
      "collector that traces and metrics of runs are sent to, by OTLP over HTTP, without "     \
      "/v1; "                                                                                  \
      "empty: none")                                                                           \
    X(TELEMETRY_SERVICE_NAME, "telemetry.service_name", STRING, USER, OWNER, "ios-agent", 0,   \
      0, "", "OTEL_SERVICE_NAME", "name under which a collector knows them")                   \
    X(FLEET_URL, "fleet.url", URL, USER, OWNER, "", 0, 0, "tls|nats", "",                      \
      "NATS server of the fleet, as nats://127.0.0.1:4222 or tls://HOST:PORT")                 \
    X(FLEET_CREDS, "fleet.creds", PATH, USER, OWNER, "", 0, 0, "", "",                         \
      "credentials file for the fleet's server; empty: none")                                  \
    X(FLEET_NKEY, "fleet.nkey", PATH, USER, OWNER, "", 0, 0, "", "",                           \
      "file with the seed of an NKey for it; the file PATH.pub has the public key")            \
    X(FLEET_CA, "fleet.ca", PATH, USER, OWNER, "", 0, 0, "", "",                               \
      "PEM file with the authorities to trust for it; empty: the system's")                    \
    X(FLEET_CERT, "fleet.cert", PATH, USER, OWNER, "", 0, 0, "", "",                           \
      "PEM file with a client certificate for it; empty: none")                                \
    X(FLEET_CERT_KEY, "fleet.cert_key", PATH, USER, OWNER, "", 0, 0, "", "",                   \
      "PEM file with the key of that certificate")                                             \
    X(FLEET_REPLICAS, "fleet.replicas", INT, USER, OWNER, "1", 1, 5, "", "",                   \
      "copies of each message in a cluster of servers")                                        \
    X(FLEET_LEASE_S, "fleet.lease_s", INT, USER, OWNER, "30", 1, 600, "", "",                  \
      "seconds without a word of a worker after which its run goes to another")                \
    X(FLEET_ATTEMPTS, "fleet.attempts", INT, USER, OWNER, "5", 1, 100, "", "",                 \
      "times that workers begin a run before it ends as an error")                             \
    X(FLEET_SCHEDULES, "fleet.schedules", BOOL, USER, OWNER, "false", 0, 0, "", "",            \
      "other machines have the same schedules: each due time is started by one of them")       \
    X(FLEET_SHARE_SECRETS, "fleet.share_secrets", STRING, USER, OWNER, "", 0, 0, "", "",       \
      "names of this machine's secrets that its sweeps give to workers, separated by commas")  \
    X(FLEET_SECRETS, "fleet.secrets", STRING, USER, OWNER, "", 0, 0, "", "",                   \
      "names of this machine's secrets that runs from a fleet may type, separated by commas")  \
    X(LOG_LEVEL, "log.level", ENUM, ANY, TOKEN, "warn", 0, 0, "debug|info|warn|error|off", "", \
      "least level that is logged")                                                            \
    X(LOG_FILE, "log.file", PATH, USER, OWNER, "", 0, 0, "", "",                               \
      "log file; empty: ios-agent.log in the data folder")                                     \
    X(PROMPTS_DIR, "prompts.dir", PATH, ANY, OWNER, "", 0, 0, "", "",                          \
      "folder whose files replace the built-in prompts; empty: none")

enum ia_config_key {
#define IA_CONFIG_ENUM(id, key, type, scope, setter, def, min, max, choices, var, help)        \
    IA_CFG_##id,
    IA_CONFIG_LIST(IA_CONFIG_ENUM)
#undef IA_CONFIG_ENUM
        IA_CFG_COUNT
};

enum ia_config_type {
    IA_CFG_STRING,
    IA_CFG_PATH,
    IA_CFG_URL,
    IA_CFG_HOOK,
    IA_CFG_INT,
    IA_CFG_REAL,
    IA_CFG_BOOL,
    IA_CFG_ENUM,
    IA_CFG_LIST
};

enum ia_config_scope { IA_CFG_SCOPE_ANY, IA_CFG_SCOPE_USER };

enum ia_config_setter { IA_CFG_SETTER_TOKEN, IA_CFG_SETTER_OWNER };

enum ia_config_origin {
    IA_CFG_FROM_DEFAULT,
    IA_CFG_FROM_USER_FILE,
    IA_CFG_FROM_PROJECT_FILE,
    IA_CFG_FROM_ENVIRONMENT,
    IA_CFG_FROM_FLAG
};

/* Caps on what is read. A file may nest IA_TOML_DEPTH_MAX deep (toml.h). */
enum { IA_CONFIG_FILE_MAX = 262144, IA_CONFIG_VALUE_MAX = 4096, IA_CONFIG_ITEMS_MAX = 64 };

/* An entry of [agents.NAME]. NAME is 1 to 64 of A-Z a-z 0-9 _ -. */
struct ia_config_agent {
    const char *name;
    const char *model;  /* "" when the entry does not say */
    const char *prompt; /* path of a Markdown file; "" likewise */
    const char *const
        *tools;       /* NULL-ended; NULL when the entry does not say: the device's tools */
    const char *role; /* what it is for, "" likewise */
    const char *const *skills, *const *may_call; /* NULL-ended; NULL likewise: none */
    const char *memory;                          /* notes, files, off; "" likewise: notes */
    int max_steps, max_seconds;                  /* its budget, 0 likewise: that of [run] */
    int64_t max_tokens;
    double max_usd;
};

struct ia_config;

/* Reads the files of `paths` (a missing one is no error, unless it was named) and the variables
 * of env (NULL: this process's). *ret is freed with ia_config_free. */
enum ia_rc ia_config_load(const struct ia_paths *paths, const char *const *env,
                          struct ia_config **ret, struct ia_err *err);
void ia_config_free(struct ia_config *c);

/* Sets a key from a flag, as text. flag is what the user wrote, "--model", for the messages. */
enum ia_rc ia_config_set(struct ia_config *c, enum ia_config_key key, const char *flag,
                         const char *text, struct ia_err *err);

/* Getters; the key must have the type (ia_config_int also serves ENUM: the index of the choice;
 * ia_config_str serves STRING, PATH, URL and ENUM). Strings are never NULL, "" is unset. */
const char *ia_config_str(const struct ia_config *c, enum ia_config_key key);
int64_t ia_config_int(const struct ia_config *c, enum ia_config_key key);
double ia_config_real(const struct ia_config *c, enum ia_config_key key);
bool ia_config_bool(const struct ia_config *c, enum ia_config_key key);
enum ia_config_origin ia_config_origin(const struct ia_config *c, enum ia_config_key key);
/* "file:line:column", the variable or the flag that set it; "" for a default. Borrowed. */
const char *ia_config_where(const struct ia_config *c, enum ia_config_key key);

/* The paths of its files, which need not exist. Borrowed. */
const char *ia_config_user_file(const struct ia_config *c);
const char *ia_config_project_file(const struct ia_config *c);

/* The agent with that name, or NULL. Borrowed. */
const struct ia_config_agent *ia_config_agent(const struct ia_config *c, const char *name);

enum { IA_CONFIG_AGENTS_MAX = 64 };
/* The names of all agents, borrowed; how many there are. */
size_t ia_config_agent_names(const struct ia_config *c, const char *ret[IA_CONFIG_AGENTS_MAX]);

/* "run.model" for IA_CFG_RUN_MODEL. */
const char *ia_config_key_name(enum ia_config_key key);

/* The key with that name. IA_E_CONFIG for another one, with the nearest known name. */
enum ia_rc ia_config_key_find(const char *name, enum ia_config_key *ret, struct ia_err *err);

/* ---- changing the user's file ------------------------------------------------------------ */

/* Who asks for a change. */
enum ia_config_may { IA_CFG_MAY_NOTHING, IA_CFG_MAY_TOKEN, IA_CFG_MAY_ALL };
bool ia_config_settable(enum ia_config_key key, enum ia_config_may may);

/* Sets a key in the user's file to the value that text says, as in the environment, or (NULL) takes it
 * out; no other byte changes. A file that is not there is made with mode 0600. The file is replaced as a
 * whole, behind a link where it is one. *ret_changed: it was not so already. Afterwards the file loads
 * and has the value, or it is as it was: IA_E_CONFIG for what loading would refuse, of the value or of
 * the file; IA_E_STATE for a line that only a person can change; IA_E_IO, IA_E_BUSY, IA_E_LIMIT. A
 * relative path starts at the folder of the project's file. */
enum ia_rc ia_config_edit(const struct ia_paths *paths, enum ia_config_key key,
                          const char *text, bool *ret_changed, struct ia_err *err);

/* ---- showing ----------------------------------------------------------------------------- */

/* Every effective value with its origin, passwords in URLs left out:
 * {"files":{"user":PATH,"project":PATH},"values":[ROW…],
 *  "agents":[{"name","model","prompt","tools":[…]|null}]}
 * ROW is {"key","value","origin","where","variable","help","type","choices":[…]|null,"min":N|null,
 * "max":N|null,"settable":BOOL}; where is "file:line:column", the variable or the flag, "" for a default;
 * settable: by who asks. */
void ia_config_json(const struct ia_config *c, enum ia_config_may may, struct ia_jsonw *w);
/* One ROW. */
void ia_config_row_json(const struct ia_config *c, enum ia_config_key key,
                        enum ia_config_may may, struct ia_jsonw *w);
/* The same as lines of TOML, `run.model = "x"  # origin`. */
void ia_config_text(const struct ia_config *c, struct ia_buf *out);

#endif
