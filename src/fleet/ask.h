/* ask.h: a worker asks for the values of a run's secrets, and the submitter answers.
 *
 *   worker     a new key pair (X25519); its public key, with the code of the run's key ─► ask
 *   submitter  checks the code ─► values sealed to the public key (libsodium's sealed box), with a code ─► answer
 *
 * Only a worker that has the run's order knows the run's key, so no one else can ask, and no one else can answer. Nobody
 * but the worker that asked can open the answer: neither the server nor other workers of the class. Pure; any thread. */
#ifndef IA_FLEET_ASK_H
#define IA_FLEET_ASK_H

#include "fleet/message.h"

enum {
    IA_FLEET_PUBLIC_SIZE = 32,
    IA_FLEET_VALUES_MAX = 128 << 10,
    IA_FLEET_ANSWER_MAX = 256 << 10
};

struct ia_fleet_ask {
    char batch[IA_ID_SIZE], run[IA_ID_SIZE];
    char worker[IA_FLEET_NAME_SIZE];
    unsigned char public_key[IA_FLEET_PUBLIC_SIZE];
};
/* Makes a key pair. The secret key is wiped by the caller (sodium_memzero). */
void ia_fleet_ask_new(struct ia_fleet_ask *ask, unsigned char ret_secret[IA_FLEET_PUBLIC_SIZE]);
void ia_fleet_ask_write(const struct ia_fleet_ask *ask, const struct ia_fleet_key *key,
                        struct ia_buf *out);
/* IA_E_PARSE. The code is not checked yet. */
enum ia_rc ia_fleet_ask_read(struct ia_str text, struct ia_fleet_ask *ret,
                             char ret_code[IA_SHA256_HEX_SIZE], struct ia_err *err);
/* Whether the code is that of the run's key. */
bool ia_fleet_ask_true(const struct ia_fleet_ask *ask, const char *code,
                       const struct ia_fleet_key *key);

/* Seals the values, NAME NUL VALUE NUL each, to the worker that asked, and appends the answer. */
void ia_fleet_answer_write(const struct ia_fleet_ask *ask, const struct ia_fleet_key *key,
                           struct ia_str values, struct ia_buf *out);
/* Opens an answer to that ask and appends the values, which the caller wipes. False: it is no such answer, or not by the
 * submitter. */
bool ia_fleet_answer_read(struct ia_str text, const struct ia_fleet_ask *ask,
                          const unsigned char secret[IA_FLEET_PUBLIC_SIZE],
                          const struct ia_fleet_key *key, struct ia_buf *values);
/* Whether a list of names, separated by commas, has that name. */
bool ia_fleet_names(const char *list, const char *name);
/* Takes the first pair of the values and moves behind it; false: there is none, or they are damaged. */
bool ia_fleet_values_next(struct ia_str *values, struct ia_str *ret_name,
                          struct ia_str *ret_value);

#endif
