/* fuzz_openstep.c: any bytes as an old ASCII property list. What is accepted is valid JSON. */
#include "driver/simctl/openstep.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *v = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_openstep_parse((struct ia_str){(const char *)data, size}, &v, &err);
    if (rc != IA_OK) {
        assert((rc == IA_E_PARSE || rc == IA_E_LIMIT) && !v && err.msg[0] != '\0');
        return 0;
    }
    char *text = json_dumps(v, JSON_ENCODE_ANY);
    json_error_t why;
    json_t *again = json_loads(text, JSON_DECODE_ANY, &why);
    assert(json_equal(v, again));
    json_decref(again);
    json_decref(v);
    free(text);
    return 0;
}
