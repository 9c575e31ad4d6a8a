#include "test.h"

#include "draw.h"
#include "driver/snapshot/voiceover.h"

static void each_listed_element_is_a_line_in_reading_order(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(4096);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw("Application 'A' 0,0,400,800\n"
                                 " Button 'Save' 20,300,100,44 disabled\n"
                                 " Button 20,400,100,44\n"
                                 " Switch 'Wi-Fi' ='1' 0,100,400,44\n"
                                 " TextField ?'Name' ='Ada\\nL' 0,200,400,44\n"
                                 " Button 'Below' 20,900,100,44\n",
                                 refs);
    ia_voiceover_text(s, &out);
    assert_string_equal(ia_buf_cstr(&out), "1: Wi-Fi, on, switch button\n"
                                           "2: Name, Ada L, text field\n"
                                           "3: Save, dimmed, button\n"
                                           "4: no label, button\n");
    ia_snapshot_free(s);
    ia_refs_free(refs);
    ia_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_listed_element_is_a_line_in_reading_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
