/* hex.h: bytes written as hexadecimal test vectors. */
#ifndef IA_TEST_HEX_H
#define IA_TEST_HEX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire.h"

static inline size_t hex_bytes(const char *hex, uint8_t *out, size_t size)
{
    size_t n = 0;
    for (; hex[0] && hex[1]; hex += 2) {
        unsigned v = 0;
        assert_int_equal(sscanf(hex, "%2x", &v), 1);
        assert_true(n < size);
        out[n++] = (uint8_t)v;
    }
    return n;
}

static inline void hex_equal(const struct ia_wire_buf *got, const char *hex)
{
    uint8_t want[512];
    size_t n = hex_bytes(hex, want, sizeof(want));
    assert_int_equal(got->len, n);
    assert_memory_equal(got->p, want, n);
}

/* The frame in a whole vector, which includes its length. */
static inline struct ia_wire_frame hex_frame(const char *hex, uint8_t *store, size_t size)
{
    size_t n = hex_bytes(hex, store, size);
    assert_true(n >= 5);
    assert_int_equal(store[0] | store[1] << 8, n - 4);
    return (struct ia_wire_frame){.op = store[4], .p = store + 5, .n = n - 5};
}

#endif
