/* sign.h: signatures of thinking blocks, and what was sent in which turn.
 *
 * A signature says by itself for which model, which text and (on models that bind) after which
 * conversation the block was made, so checking it needs no memory. That a turn had thinking at
 * all is remembered by the id of its first tool_use, in a table of fixed size that forgets by
 * overwriting. Thread-safe. */
#ifndef IA_MOCK_API_SIGN_H
#define IA_MOCK_API_SIGN_H

#include "mock/api/digest.h"

enum { IA_MOCK_SIGNATURE_SIZE = 49, IA_MOCK_SENT_MAX = 8192 };

/* bind is the hash of everything before the block (ia_mock_bind_block). */
void ia_mock_sign(const struct ia_mock_model *model, const char *text, uint64_t bind,
                  char ret[IA_MOCK_SIGNATURE_SIZE]);

/* True if the signature was made for that text, by any model. */
bool ia_mock_signed(const char *signature, const char *text);

struct ia_mock_sent;

struct ia_mock_sent *ia_mock_sent_new(void);
void ia_mock_sent_free(struct ia_mock_sent *s);
/* Remembers a turn by its blocks, before they are sent. paused: stop_reason pause_turn. */
void ia_mock_sent_turn(struct ia_mock_sent *s, const struct ia_mock_turn *turn, bool paused);
/* True when the last turn is an assistant turn that was sent as paused, unchanged. */
bool ia_mock_sent_was_paused(struct ia_mock_sent *s, const struct ia_mock_request *req);

/* Checks every thinking block of the request: signature, text and place unchanged, none missing
 * in the current tool loop. After a refused signature the thinking of this conversation may be
 * left out altogether, which is how a client recovers. */
bool ia_mock_check_thinking(struct ia_mock_sent *s, const struct ia_mock_request *req,
                            const struct ia_mock_digest *d, struct ia_mock_reject *r);

#endif
