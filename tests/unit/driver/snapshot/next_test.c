/* What is suggested next: content first, nothing that changes a state, what leaves or closes
 * last, whatever the language. */
#include "test.h"

#include "draw.h"

static void content_comes_first_and_what_leaves_or_closes_last(void **state)
{
    (void)state;
    static const struct {
        const char *why, *tree, *want;
    } cases[] = {
        {"rows before commands, and the scroll that shows more",
         "Application 'A' 0,0,400,800\n"
         " Button 'Buy' 20,150,100,44\n"
         " Table 0,200,400,600\n"
         "  Cell 'One' 0,200,400,200\n"
         "  Cell 'Two' 0,400,400,200\n"
         "  Cell 'Three' 0,820,400,200\n",
         "next: tap 2 or 3\nnext: swipe up for 1 more\n"},
        {"a switch, a checkbox, a selected segment and a field are never tapped on a guess",
         "Application 'A' 0,0,400,800\n"
         " Switch 'S' ='1' 0,200,400,44\n"
         " CheckBox 'C' ='0' 0,250,400,44\n"
         " SegmentedControl 0,300,400,44\n"
         "  Button 'Left' 0,300,200,44 selected\n"
         " TextField 'F' 0,350,400,44\n"
         " Button 'Go' 0,450,400,44\n",
         "next: tap 5\n"},
        {"disabled and nameless buttons are passed over",
         "Application 'A' 0,0,400,800\n"
         " Button 'Off' 0,200,400,44 disabled\n"
         " Button 0,250,400,44\n"
         " Button 'On' 0,300,400,44\n",
         "next: tap 3\n"},
        {"corners lead away, in Japanese too",
         "Application 'A' 0,0,400,800\n"
         " Button '戻る' 8,60,44,44\n"
         " Button '閉じる' 340,60,44,44\n"
         " Button '登録' 20,400,360,44\n",
         "next: tap 3\n"},
        {"with nothing else the way back is named",
         "Application 'A' 0,0,400,800\n"
         " Button '戻る' 8,60,44,44\n"
         " StaticText 'そのほか' 20,400,360,44\n",
         "next: tap 1\n"},
        {"crosses, bins and operators come last",
         "Application 'A' 0,0,400,800\n"
         " Button #xmark 'X1' 150,300,44,44\n"
         " Button #trash.fill 'X2' 150,350,44,44\n"
         " Button '×' 150,400,44,44\n"
         " Button '7' 150,450,44,44\n",
         "next: tap 4\n"},
        {"only what is in front",
         "Application 'A' 0,0,400,800\n"
         " Button 'Behind' 20,200,100,44\n"
         " Alert '削除?' 50,300,300,200\n"
         "  Button 'いいえ' 50,450,150,50\n"
         "  Button 'はい' 200,450,150,50\n",
         "next: tap 2 or 3\n"},
        {"a focused field waits for text",
         "Application 'A' 0,0,400,800\n"
         " TextField 'F' 0,150,400,44 focused\n"
         " Button 'Go' 0,250,400,44\n",
         "next: type into 1\n"},
        {"a picture is asked for only where there is nothing to do",
         "Application 'A' 0,0,400,800\n"
         " StaticText 'x' 0,150,400,44\n",
         "next: screenshot\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = draw(cases[i].tree, refs);
        struct ia_buf b = IA_BUF(4096);
        ia_snapshot_next(s, &b);
        if (strcmp(ia_buf_cstr(&b), cases[i].want) != 0) {
            fail_msg("%s:\n%s%s", cases[i].why, lines_of(s), ia_buf_cstr(&b));
        }
        ia_buf_fini(&b);
        ia_snapshot_free(s);
        ia_refs_free(refs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_comes_first_and_what_leaves_or_closes_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
