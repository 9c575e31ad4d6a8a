/* random.h: random messages of every kind, generated from the tables. */
#ifndef IA_TEST_WIRE_RANDOM_H
#define IA_TEST_WIRE_RANDOM_H

#include "wire/wire.h"

uint64_t wire_random(uint64_t *seed);
/* Fills a request of that opcode, using memory of its arena. */
void wire_random_request(struct ia_wire_request *r, const struct ia_wire_op *op,
                         uint64_t *seed);
void wire_random_reply(struct ia_wire_reply *r, const struct ia_wire_op *op, uint64_t *seed);

#endif
