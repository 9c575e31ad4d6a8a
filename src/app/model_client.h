/* model_client.h: who answers a run: Claude with the user's key, or the demo brain.
 *
 * The first of these decides: --demo; ANTHROPIC_API_KEY; ANTHROPIC_AUTH_TOKEN; the sealed key
 * of `key set`; the demo brain. The demo brain is a Messages API double in this process: the
 * run talks to it over loopback HTTP just as it would to the service. */
#ifndef IA_APP_MODEL_CLIENT_H
#define IA_APP_MODEL_CLIENT_H

#include "agent/claude/client.h"
#include "app/key_source.h"
#include "app/setup.h"
#include "mock/server/mock.h"

struct ia_model_client {
    enum ia_key_source source;
    struct ia_claude *claude;
    struct ia_mock *demo;         /* or NULL */
    struct ia_secret *own;        /* freed with the client: an opened sealed key */
    const struct ia_secret *lent; /* what the client sends: own, or one of the environment's */
};

/* Who answers a new run, without opening anything; --demo is the caller's. IA_E_KEY_MISSING when a
 * server was configured and there is no key for it: the demo brain would be a surprise. */
enum ia_rc ia_model_client_choose(const struct ia_credentials *env,
                                  const struct ia_setup *setup, bool *ret_demo,
                                  struct ia_err *err);
/* Appends what a client is made of: server, way to it, which key. Once it is another text, the client is
 * not what a new run is to have. Opens nothing. */
enum ia_rc ia_model_client_made_of(const struct ia_credentials *env,
                                   const struct ia_setup *setup, bool demo, struct ia_buf *ret,
                                   struct ia_err *err);
/* May ask for a passphrase (credentials.h). env and the setup's configuration are borrowed until ia_model_client_close, which takes
 * b whatever this returns; b must not move meanwhile. IA_E_KEY_MISSING when a server was configured
 * and there is no key for it. */
enum ia_rc ia_model_client_open(struct ia_model_client *b, const struct ia_credentials *env,
                                const struct ia_setup *setup, bool demo, struct ia_err *err);
/* The same for a run that was made before: answered as it was then, never by the other.
 * IA_E_KEY_MISSING where it was made for Claude and there is no key any more. */
enum ia_rc ia_model_client_open_again(struct ia_model_client *b,
                                      const struct ia_credentials *env,
                                      const struct ia_setup *setup, bool demo,
                                      struct ia_err *err);
void ia_model_client_close(struct ia_model_client *b);

#endif
