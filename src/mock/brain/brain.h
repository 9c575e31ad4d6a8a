/* brain.h: the demo brain, in the model's place where there is no key.
 *
 * It follows the steps of a goal in plain English ("turn on dark mode and remind me to buy eggs
 * tomorrow") by a grammar, and does not reason; its answers say so. It sees what a model would see and nothing else: system, tools and messages of one
 * request. All of its state is derived from them by walking through the conversation again, so
 * it can be stopped and started anywhere. Work is bounded: IA_BRAIN_TURNS_MAX turns, then it
 * says blocked. What it understands is the table rows.c. */
#ifndef IA_MOCK_BRAIN_BRAIN_H
#define IA_MOCK_BRAIN_BRAIN_H

#include "mock/api/answer.h"
#include "mock/api/request.h"

enum { IA_BRAIN_TURNS_MAX = 120 };

/* Fills an initialised answer; never fails. */
void ia_brain_answer(const struct ia_mock_request *req, struct ia_mock_answer *answer);
/* True when the request is a verifier's: it offers the tool verdict and not finish. */
bool ia_brain_is_verifier(const struct ia_mock_request *req);

/* Walks through the user turns of a request and keeps the screen up to date with them, up to
 * and including turn `last`. */
struct ia_brain_screen;
void ia_brain_screen_at(const struct ia_mock_request *req, size_t last,
                        struct ia_brain_screen *s);

#endif
