/* defaults.h: what holds where nobody says otherwise, once: the configuration shows these values, and
 * the parts that it sets use them where there is no configuration. */
#ifndef IA_BASE_DEFAULTS_H
#define IA_BASE_DEFAULTS_H

#define IA_DEFAULT_MODEL "claude-sonnet-5-5"
#define IA_DEFAULT_STEPS 40 /* of a run */
#define IA_DEFAULT_RUNS 5   /* at once */
#define IA_DEFAULT_API_URL "https://api.anthropic.com"
#define IA_DEFAULT_API_VERSION "2023-06-01"
#define IA_DEFAULT_RETRIES 8  /* of a request */
#define IA_DEFAULT_IDLE_S 120 /* of a stream */
#define IA_DEFAULT_ANSWER_TOKENS 16000
#define IA_DEFAULT_CONTEXT_TOKENS 16000 /* of a conversation, before a summary replaces it */
#define IA_DEFAULT_RUNNER_START_S 120
#define IA_DEFAULT_DAEMON_IDLE_S 900

/* The value of one of them as a string literal. */
#define IA_DEFAULT_TEXT(number) IA_DEFAULT_TEXT_OF(number)
#define IA_DEFAULT_TEXT_OF(number) #number

#endif
