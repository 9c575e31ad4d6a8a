/* doc_test.c: PROTOCOL.md agrees with the tables. The part between its two marks is generated
 * from them and has to be equal; with IA_WIRE_DOC=1 in the environment this program writes that
 * part. */
#include "hex.h"
#include "source_dir.h"

#include <stdlib.h>

#define BEGIN "<!-- tables: begin -->\n"
#define END "<!-- tables: end -->\n"
#define FILE_NAME IA_SOURCE_DIR "/bridge-xcuitest/wire/PROTOCOL.md"

static const char *kind_text(const struct ia_wire_field *f, char *out, size_t size)
{
    static const char *const names[] = {
        "u8",       "u8",   "bool", "u16",  "u32",          "u64",       "i32",  "f64",
        "point",    "rect", "str",  "ostr", "bytes",        "ou64",      "of64", "u16 list",
        "str list", "",     "",     "",     "request list", "reply list"};
    switch (f->kind) {
    case IA_WIRE_K_PART:
        return f->shape->name;
    case IA_WIRE_K_OPART:
        snprintf(out, size, "optional %s", f->shape->name);
        return out;
    case IA_WIRE_K_PARTS:
        snprintf(out, size, "%s list", f->shape->name);
        return out;
    default:
        return names[f->kind];
    }
}

static void print_fields(FILE *out, const char *title, const struct ia_wire_shape *s)
{
    char kind[64], cap[48];
    if (s->fields_n == 0) {
        fprintf(out, "%s: no body.\n\n", title);
        return;
    }
    fprintf(out, "%s:\n\n| field | kind | at most | |\n|---|---|---|---|\n", title);
    for (size_t i = 0; i < s->fields_n; i++) {
        const struct ia_wire_field *f = &s->fields[i];
        cap[0] = 0;
        if (f->max) {
            snprintf(cap, sizeof(cap), "%u", f->max);
        }
        if (f->each_max) {
            snprintf(cap, sizeof(cap), "%u of %u", f->max, f->each_max);
        }
        fprintf(out, "| %s | %s | %s | %s |\n", f->name, kind_text(f, kind, sizeof(kind)), cap,
                f->summary);
    }
    fputs("\n", out);
}

static void print_codes(FILE *out)
{
    fputs("### Codes\n\n| number | name | |\n|---|---|---|\n", out);
#define CODE_ROW(code, number, name, summary)                                                  \
    fprintf(out, "| %d | %s | %s |\n", number, name, summary);
    IA_WIRE_CODE_LIST(CODE_ROW)
#undef CODE_ROW
    fputs("\n", out);
}

static void print_op(FILE *out, const struct ia_wire_op *op)
{
    fprintf(out, "#### %02X %s\n\n%c%s. %s%s\n\n", op->op, op->name,
            op->summary[0] >= 'a' && op->summary[0] <= 'z' ? op->summary[0] - 'a' + 'A'
                                                           : op->summary[0],
            op->summary + 1, op->effect ? "Has an effect." : "Only reads.",
            op->control ? " Answered without the main thread." : "");
    print_fields(out, "Request", op->request);
    if (op->reply) {
        print_fields(out, "Reply", op->reply);
    }
}

static void print_native(FILE *out)
{
    fputs("### Native actions\n\n| number | action | | arguments | answer |\n"
          "|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < IA_NATIVE_COUNT; i++) {
        const struct ia_native_action *a = &ia_native_actions[i];
        fprintf(out, "| %d | %s | %s | %s | `%s` |\n", i, a->name,
                a->effect ? "changes" : "reads", a->args, a->answer);
    }
    fputs("\n", out);
}

static char *tables(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    const struct ia_wire_op *op;
    const struct ia_wire_shape *part;
    assert_non_null(out);
    print_codes(out);
    fputs("### Parts\n\n", out);
    for (size_t i = 0; (part = ia_wire_part_at(i)); i++) {
        char title[64];
        snprintf(title, sizeof(title), "**%s**", part->name);
        print_fields(out, title, part);
    }
    fputs("### Classic requests\n\n", out);
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        if (op->op == IA_WIRE_OP_HELLO) {
            fputs("### Extensions\n\n", out);
        }
        print_op(out, op);
    }
    print_native(out);
    fclose(out);
    return text;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static void rewrite(const char *doc, const char *from, const char *to, const char *want)
{
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    fprintf(f, "%.*s%s%s", (int)(from - doc), doc, want, to);
    fclose(f);
}

static void the_document_agrees_with_the_tables(void **state)
{
    (void)state;
    char *doc = read_all(FILE_NAME), *want = tables();
    char *from = strstr(doc, BEGIN), *to = strstr(doc, END);
    assert_non_null(from);
    assert_non_null(to);
    from += strlen(BEGIN);
    if (getenv("IA_WIRE_DOC")) {
        rewrite(doc, from, to, want);
    } else if ((size_t)(to - from) != strlen(want) || memcmp(from, want, strlen(want)) != 0) {
        fail_msg("PROTOCOL.md differs from the tables; run this test with IA_WIRE_DOC=1 to "
                 "write it");
    }
    free(doc);
    free(want);
}

static void the_document_names_every_field(void **state)
{
    (void)state;
    char *doc = read_all(FILE_NAME);
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        char head[64], row[96];
        snprintf(head, sizeof(head), "#### %02X %s\n", op->op, op->name);
        const char *at = strstr(doc, head);
        if (!at) {
            fail_msg("%s is missing", op->name);
        }
        for (size_t k = 0; at && k < op->request->fields_n; k++) {
            snprintf(row, sizeof(row), "\n| %s |", op->request->fields[k].name);
            if (!(at = strstr(at, row))) {
                fail_msg("%s.%s is missing", op->name, op->request->fields[k].name);
            }
        }
    }
    free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_agrees_with_the_tables),
        cmocka_unit_test(the_document_names_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
