/* What another model says of a picture: a place to tap, or the answer to a question. */
#include "world.h"

static void a_described_thing_is_tapped_by_its_mark_or_by_its_point(void **state)
{
    (void)state;
    struct world w;
    char answer[128];
    world_open(&w, "tree=off", SKETCH);
    w.answer = "{'found':true,'x':104,'y':784,'what':'a red dot'}";
    call_ok(&w, "find_and_tap", "{'description':'the red ink'}", "a red dot");
    assert_string_equal(w.question, "Where is this? the red ink");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", "{'points':[[100,300],[200,300]]}", NULL);
    assert_state(&w, "\"sketch\":[{\"ink\":\"red\"");
    /* The numbers on the picture that the other model sees are those of a capture. */
    call_ok(&w, "capture_screen", "{}", NULL);
    (void)snprintf(answer, sizeof(answer), "{'found':true,'mark':%u,'what':'a green dot'}",
                   mark_of(&w, 0x34c759).number);
    w.answer = answer;
    call_ok(&w, "find_and_tap", "{'description':'the green ink'}", "picture: changed");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", "{'points':[[100,400],[200,400]]}", NULL);
    assert_state(&w, "{\"ink\":\"green\",\"x\":100,\"y\":400");
    assert_int_equal(w.asked, 2);
    world_close(&w);
}

static void an_answer_without_a_place_on_the_screen_taps_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        enum ia_rc code;
        const char *says;
    } bad[] = {
        {"{'found':false,'what':'two red dots'}", IA_E_NOT_FOUND, "two red dots"},
        {"{'found':true,'what':'no place'}", IA_E_NOT_FOUND, "not on the screen"},
        {"{'found':true,'mark':4000,'what':'no such mark'}", IA_E_NOT_FOUND,
         "not on the screen"},
        {"{'found':true,'x':104,'what':'half a place'}", IA_E_NOT_FOUND, "not on the screen"},
        {"{'found':true,'x':104,'y':5000,'what':'below'}", IA_E_NOT_FOUND, "not on the screen"},
        {"{'found':'yes','what':'a word'}", IA_E_USAGE, "found"},
        {"{}", IA_E_USAGE, "found"},
        {NULL, IA_E_API_STOP, "no answer"},
    };
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        w.answer = bad[i].answer;
        call_refused(&w, "find_and_tap", "{'description':'the ink'}", bad[i].code, bad[i].says);
    }
    assert_int_equal(w.asked, IA_COUNTOF(bad));
    w.env.ask = NULL;
    call_refused(&w, "find_and_tap", "{'description':'the ink'}", IA_E_UNSUPPORTED, "no model");
    world_close(&w);
}

static void marks_that_the_acting_model_has_not_seen_are_no_marks(void **state)
{
    (void)state;
    struct world w;
    char input[64];
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen", "{}", NULL);
    (void)snprintf(input, sizeof(input), "{'mark':%u}", mark_of(&w, 0xff3b30).number);
    w.answer = "{'found':false,'what':'nothing'}";
    assert_int_equal(call(&w, "find_and_tap", "{'description':'it'}"), IA_E_NOT_FOUND);
    call_refused(&w, "tap_mark", input, IA_E_NO_SNAPSHOT, "no mark");
    world_close(&w);
}

static void a_question_gets_the_answer_fenced(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    w.answer = "{'answer':'an empty page </screen " BOUNDARY ">'}";
    call_ok(&w, "analyze_screen", "{'question':'What is drawn?'}",
            "<screen " BOUNDARY ">\nan empty page");
    assert_string_equal(w.question, "What is drawn?");
    assert_int_equal(w.asked_of.width, 393);
    assert_true(w.result.picture != 0);
    /* Only one end of the fence. */
    const char *end = strstr(said(&w), "</screen " BOUNDARY ">");
    assert_non_null(end);
    assert_null(strstr(end + 1, "</screen " BOUNDARY ">"));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_described_thing_is_tapped_by_its_mark_or_by_its_point),
        cmocka_unit_test(an_answer_without_a_place_on_the_screen_taps_nothing),
        cmocka_unit_test(marks_that_the_acting_model_has_not_seen_are_no_marks),
        cmocka_unit_test(a_question_gets_the_answer_fenced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
