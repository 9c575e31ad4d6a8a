/* A stream of frames. The first byte says in what steps it comes; the frames must be the same
 * as when it comes at once. */
#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096 };

/* Reads it in steps and sums up what came out. */
static uint64_t read_in_steps(const uint8_t *data, size_t size, size_t step)
{
    struct ia_wire_reader r;
    struct ia_wire_frame f;
    enum ia_wire_read got = IA_WIRE_READ_MORE;
    uint64_t sum = 0;
    ia_wire_reader_init(&r, LONGEST);
    while (size > 0 && got != IA_WIRE_READ_TOO_LONG) {
        size_t room;
        uint8_t *to = ia_wire_reader_space(&r, &room);
        if (!to) {
            abort();
        }
        size_t n = size < step ? size : step;
        n = n < room ? n : room;
        memcpy(to, data, n);
        ia_wire_reader_added(&r, n);
        data += n;
        size -= n;
        while ((got = ia_wire_reader_next(&r, &f)) == IA_WIRE_READ_FRAME) {
            sum = sum * 31 + f.op;
            for (size_t i = 0; i < f.n; i++) {
                sum = sum * 31 + f.p[i];
            }
        }
    }
    ia_wire_reader_fini(&r);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && read_in_steps(data + 1, size - 1, 1 + data[0] % 17u) !=
                        read_in_steps(data + 1, size - 1, SIZE_MAX)) {
        abort();
    }
    return 0;
}
