/* Reading events: whatever the bytes, what was read can be written, and reads the same again. */
#include "events/events.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All members of the union begin where the first one does. */
static void write_again(const struct ia_event *e, struct ia_buf *out)
{
    const struct ia_event_envelope envelope = {ia_event_text(e->run), e->seq, 0};
    ia_event_write(out, (struct ia_event_ref){e->type, &e->run_queued}, &envelope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_event first, second;
    if (ia_event_read(&first, (struct ia_str){(const char *)data, size})) {
        struct ia_buf a = IA_BUF((size_t)16 << 20), b = IA_BUF((size_t)16 << 20);
        write_again(&first, &a);
        if (ia_buf_ok(&a)) {
            if (!ia_event_read(&second, ia_buf_str(&a))) {
                abort();
            }
            write_again(&second, &b);
            if (!ia_str_eq(ia_buf_str(&a), ia_buf_str(&b))) {
                abort();
            }
            ia_event_fini(&second);
        }
        ia_buf_fini(&a);
        ia_buf_fini(&b);
    }
    ia_event_fini(&first);
    return 0;
}
