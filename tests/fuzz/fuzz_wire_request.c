/* An opcode and a payload, as a bridge reads them from a host. What is read must be written
 * again, and be read as the same. */
#include <stdlib.h>

#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_wire_request r, back;
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault = {0};
    if (size == 0) {
        return 0;
    }
    struct ia_wire_frame f = {.op = data[0], .p = data + 1, .n = size - 1};
    if (!ia_wire_get_request(&f, &r, &fault)) {
        return fault.text[0] ? 0 : (abort(), 0);
    }
    if (!ia_wire_put_request(&out, &r, &fault)) {
        abort();
    }
    f = (struct ia_wire_frame){.op = out.p[4], .p = out.p + 5, .n = out.len - 5};
    if (!ia_wire_get_request(&f, &back, &fault) || !ia_wire_request_eq(&r, &back)) {
        abort();
    }
    (void)ia_wire_has_effect(&r);
    ia_wire_request_fini(&r);
    ia_wire_request_fini(&back);
    ia_wire_buf_fini(&out);
    return 0;
}
