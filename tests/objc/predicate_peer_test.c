/* Our predicates and Foundation's NSPredicate: the same elements, but where GNUstep's is known to differ. */
#include "test.h"

#include "base/buf.h"
#include "foundation.h"
#include "wda_predicates.h"
#include "wda_trees.h"

static void set(void *element, const char *key, const struct ia_wda_value *v)
{
    switch (v->is) {
    case IA_WDA_NULL:
        break;
    case IA_WDA_BOOL:
        foundation_set_number(element, key, v->truth, true);
        break;
    case IA_WDA_NUMBER:
        foundation_set_number(element, key, v->number, false);
        break;
    case IA_WDA_TEXT:
        foundation_set_text(element, key, v->text.p);
        break;
    case IA_WDA_RECT_OF:
        foundation_set_rect(element, key, v->rect.x, v->rect.y, v->rect.w, v->rect.h);
        break;
    }
}

static void *element_of(const struct ia_wda_screen *s, int32_t node)
{
    void *element = foundation_element();
    for (int a = 0; a < IA_WDA_ATTRIBUTE_COUNT; a++) {
        const char *name = ia_wda_attribute_name((enum ia_wda_attribute)a);
        char prefixed[64];
        struct ia_wda_value v;
        ia_wda_get(s, node, (enum ia_wda_attribute)a, &v);
        snprintf(prefixed, sizeof(prefixed), "wd%c%s", name[0] & ~0x20, name + 1);
        set(element, name, &v);
        set(element, prefixed, &v);
    }
    return element;
}

static void foundation_finds_the_same(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    void *elements[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        elements[i] = element_of(s, i);
    }
    size_t same = 0, known = 0, wrong = 0;
    for (size_t i = 0; i < IA_COUNTOF(wda_predicates); i++) {
        const struct wda_predicate *p = &wda_predicates[i];
        bool holds[COUNT];
        bool whole = foundation_holds(p->text, elements, COUNT, holds);
        struct ia_buf got = IA_BUF(1000);
        for (int k = 0; whole && k < COUNT; k++) {
            if (holds[k]) {
                ia_buf_printf(&got, "%s%d", got.len ? " " : "", k);
            }
        }
        bool equal = whole && strcmp(ia_buf_cstr(&got), p->want) == 0;
        bool excused = p->gnustep && foundation_is_gnustep();
        same += equal;
        known += !equal && excused;
        if (equal == excused) {
            wrong++;
            print_error("%s\n  Foundation %s\n  ours       %s%s\n", p->text,
                        whole ? ia_buf_cstr(&got) : "throws", p->want,
                        excused ? "\n  and is no exception any more" : "");
        }
        ia_buf_fini(&got);
    }
    print_message("%zu the same, %zu known exceptions\n", same, known);
    assert_int_equal(wrong, 0);
    assert_true(same >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_SCREEN(foundation_finds_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
