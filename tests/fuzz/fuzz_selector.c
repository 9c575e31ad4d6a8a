/* Selectors: any bytes are parsed or refused at a place inside them. */
#include "driver/snapshot/snapshot.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_selector sel;
    struct ia_err err = {0};
    size_t pos = 0;
    struct ia_str text = {(const char *)data, size};
    if (ia_selector_parse(text, &sel, &pos, &err) != IA_OK) {
        if (pos > size || err.code != IA_E_PARSE) {
            abort();
        }
        return 0;
    }
    struct ia_element e = {.role = IA_ROLE_BUTTON, .label = "Log in", .identifier = "login"};
    (void)ia_selector_matches(&sel, &e);
    ia_selector_fini(&sel);
    return 0;
}
