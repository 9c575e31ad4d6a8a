/* fuzz_skill.c: a skill's manifest, or, behind a first byte 'A', the answer of one of its programs. */
#include "agent/skills/program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(struct ia_str text)
{
    struct ia_skill_answer a;
    struct ia_err err = {0};
    enum ia_rc rc = ia_skill_answer_read(NULL, text, &a, &err);
    if (rc != IA_OK && (rc != IA_E_PROTO || !err.msg[0])) {
        abort();
    }
    /* An error is never taken for a result, nor the other way round. */
    if (rc == IA_OK && a.failed && (a.text.len > 0 || a.png.len > 0)) {
        abort();
    }
    if (a.text.failed || memchr(a.message, 27, sizeof(a.message))) {
        abort();
    }
    ia_skill_answer_fini(&a);
}

static void manifest(struct ia_str text)
{
    struct ia_manifest *m = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_manifest_parse("m", "probe", text, &m, &err);
    if (rc != IA_OK && (rc != IA_E_CONFIG || strncmp(err.msg, "m:", 2) != 0)) {
        abort();
    }
    for (size_t i = 0; m && i < m->tool_count; i++) {
        if (m->tools[i].argv.count == 0 || m->tools[i].argv.items[m->tools[i].argv.count]) {
            abort();
        }
    }
    ia_manifest_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'A') {
        answer((struct ia_str){(const char *)data + 1, size - 1});
    } else {
        manifest((struct ia_str){(const char *)data, size});
    }
    return 0;
}
