/* A recording as TOML: what is written reads back equal, and what is not understood whole is refused with its
 * place. */
#include "test.h"

#include "agent/recording/recording.h"

#define HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEAD                                                                                   \
    "format = 1\n"                                                                             \
    "goal = \"a contact is added\"\n"                                                          \
    "goal_hash = \"" HASH "\"\n"                                                               \
    "steps = 2\n"                                                                              \
    "\n"                                                                                       \
    "[recorded]\n"                                                                             \
    "run = \"01a2061d-c674-7475-b0f8-e1f20e018705\"\n"                                         \
    "at = \"2026-11-23T01:51:14.271Z\"\n"                                                      \
    "program = \"0.2.0\"\n"                                                                    \
    "model = \"demo brain\"\n"                                                                 \
    "\n"                                                                                       \
    "[device]\n"                                                                               \
    "kind = \"embedded\"\n"                                                                    \
    "os = \"iOS 18.5\"\n"                                                                      \
    "\n"                                                                                       \
    "[[step]]\n"

static const char whole[] =
    HEAD "act = \"tap\"\n"
         "why = 'open the form, \"now\"'\n"
         "app = \"com.apple.MobileAddressBook\"\n"
         "title = \"Contacts\"\n"
         "marks = [\"#add\", 'heading \"Contacts\"']\n"
         "target = { role = \"button\", id = \"add\", label = \"Add \xe2\x80\xa6\", after = "
         "\"Ada\", nth = 1, of = 1, alike = 1 }\n"
         "until = [\"visible #first-name\", 'value #air = \"on\"']\n"
         "ms = 340\n"
         "commit = true\n"
         "\n"
         "[[step]]\n"
         "act = \"type_text\"\n"
         "target = { role = \"field\", placeholder = \"First name\", on = \"off\" }\n"
         "input = { text = \"a\\nb\\u0001\\\\\", submit = true, distance = 0.500000, n = -3 }\n"
         "app_after = \"com.x\"\n";

#define READS                                                                                  \
    "act = \"tap\"\ncapture = { code = 'text \"is {{code}}\"' }\n"                             \
    "target = { role = \"button\", label = \"{{code}} {{secret:KEY}}\" }\nchanged = true\n"
#define TYPES                                                                                  \
    "act = \"type_text\"\ninput = { text = \"{{code}}\" }\ntarget = { role = \"field\" }\n"    \
    "changed = true\n"

static void what_a_step_reads_has_a_name_from_there_on(void **state)
{
    (void)state;
    static const char *const texts[] = {HEAD READS "[[step]]\n" TYPES,
                                        HEAD TYPES "[[step]]\n" READS};
    json_t *doc = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_recording_read("x.toml", ia_str(texts[0]), &doc, &err), IA_OK);
    json_decref(doc);
    assert_int_equal(ia_recording_read("x.toml", ia_str(texts[1]), &doc, &err), IA_E_CONFIG);
    assert_string_equal(err.msg, "x.toml:18:18: {{code}} is no variable here");
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    json_t *doc = NULL;
    struct ia_err err;
    struct ia_buf out = IA_BUF(IA_RECORDING_BYTES_MAX);
    assert_int_equal(ia_recording_read("x.toml", ia_str(whole), &doc, &err), IA_OK);
    assert_int_equal(ia_recording_count(doc), 2);
    assert_int_equal(ia_recording_act(ia_recording_step(doc, 1)), IA_TOOL_TYPE_TEXT);
    ia_recording_write(doc, &out);
    assert_string_equal(ia_buf_cstr(&out), whole);
    ia_buf_fini(&out);
    json_decref(doc);
}

static void a_target_is_a_signature(void **state)
{
    (void)state;
    json_t *doc = NULL;
    struct ia_signature sig;
    assert_int_equal(ia_recording_read("x.toml", ia_str(whole), &doc, NULL), IA_OK);
    assert_true(ia_recording_target(ia_recording_step(doc, 0), &sig));
    assert_int_equal(sig.role, IA_ROLE_BUTTON);
    assert_string_equal(sig.text[IA_SIGN_ID], "add");
    assert_string_equal(sig.text[IA_SIGN_AFTER], "Ada");
    assert_null(sig.text[IA_SIGN_BEFORE]);
    assert_int_equal(sig.of, 1);
    ia_signature_fini(&sig);
    assert_true(ia_recording_target(ia_recording_step(doc, 1), &sig));
    assert_int_equal(sig.on, IA_OFF);
    ia_signature_fini(&sig);
    json_decref(doc);
}

#define TAP "act = \"tap\"\ntarget = { role = \"row\" }\n"

/* The step begins in line 17. */
static const struct {
    const char *text, *message;
} mistakes[] = {
    {"", "x.toml: format is missing"},
    {"format = 2\n", "x.toml:1:10: this is a recording of another version of the program"},
    {"format = \"1\"\n", "x.toml:1:10: format must not be a string"},
    {"format = 1\ngoal_hash = \"sha256:12\"\n",
     "x.toml:2:13: this must be \"sha256:\" and 64 digits"},
    {"format = 1\nformat = 1\n", "x.toml:2:"},
    {"format = 1\ngaol = \"x\"\n", "x.toml:2:1: unknown key gaol"},
    {HEAD, "x.toml:16:"},
    {HEAD "act = \"fly\"\n", "x.toml:17:7: this is no action"},
    {HEAD "act = \"finish\"\n", "x.toml:17:7: this is no action"},
    {HEAD "act = \"snapshot\"\n", "x.toml:17:7: this is no action"},
    {HEAD "act = \"tap\"\ntarget = { label = \"x\" }\n", "x.toml:18:"},
    {HEAD "act = \"tap\"\ntarget = { role = \"knob\" }\n", "x.toml:18:19: this is not a role"},
    {HEAD "act = \"tap\"\ntarget = { role = \"row\", xy = 3 }\n",
     "x.toml:18:26: unknown key xy"},
    {HEAD "act = \"tap\"\ninput = { ref = 3 }\n",
     "x.toml:18:11: this is no input of an action"},
    {HEAD "act = \"tap\"\ninput = { x = [1] }\n",
     "x.toml:18:11: this is no input of an action"},
    {HEAD "act = \"tap\"\nuntil = [\"maybe\"]\n", "x.toml:18:10: "},
    {HEAD "act = \"tap\"\nuntil = [\"visible #a\", 'command \"true\"']\n",
     "x.toml:18:24: a step is judged on one screen"},
    {HEAD "act = \"tap\"\nuntil = [\"changes #a\"]\n", "x.toml:18:10: a step is judged"},
    {HEAD "act = \"tap\"\nuntil = [\"after relaunch: gone #a\"]\n", "x.toml:18:10: a step is"},
    {HEAD "act = \"type_text\"\ninput = { text = \"{{who}}\" }\n",
     "x.toml:18:18: {{who}} is no variable"},
    {HEAD "act = \"tap\"\ntitle = \"{{who\"\n", "x.toml:18:9: {{}} is no variable"},
    {HEAD "act = \"tap\"\nmarks = ['heading \"{{who}}\"']\n", "x.toml:18:10: {{who}} is no"},
    {"format = 1\nvars = [\"a b\"]\n", "x.toml:2:9: this must be the name of a variable"},
    {HEAD "act = \"tap\"\ncapture = { c = \"visible #a\" }\n",
     "x.toml:18:17: what is read must be"},
    {HEAD "act = \"tap\"\ncapture = { c = 'text \"{{c}}\"' }\n",
     "x.toml:18:17: what is read must"},
    {HEAD "act = \"tap\"\ncapture = { c = 3 }\n", "x.toml:18:13: this must be a name and"},
    {HEAD "act = \"tap\"\nuntil = [3]\n", "x.toml:18:10: this must be a list of strings"},
    {HEAD "act = \"tap\"\nmarks = [\"knob\"]\n", "x.toml:18:10: this is not a role"},
    {HEAD "act = \"tap\"\ncommit = \"yes\"\n", "x.toml:18:10: commit must not be a string"},
    {HEAD "act = \"back\"\nms = 1.5\n", "x.toml:18:6: ms must be a whole number"},
    {HEAD "act = \"tap\"\nchanged = true\n", "x.toml:16:1: tap needs a target"},
    {HEAD "act = \"type_text\"\ntarget = { role = \"field\" }\nchanged = true\n",
     "x.toml:16:1: type_text needs input"},
    {HEAD "act = \"launch_app\"\ntarget = { role = \"row\" }\n",
     "x.toml:18:1: launch_app has no target"},
    {HEAD TAP "input = { x = 3, y = 4 }\nchanged = true\n", "x.toml:19:1: tap has no input"},
    {HEAD TAP, "x.toml:16:1: nothing tells whether this tap worked"},
    {HEAD TAP "until = []\n", "x.toml:19:1: nothing tells whether this tap worked"},
    {HEAD TAP "until = ['visible switch \"\"']\n",
     "x.toml:19:10: expectation: the label is empty"},
    {HEAD TAP "marks = ['switch \"\"']\n", "x.toml:19:10: the label is empty"},
    {HEAD TAP "changed = false\n", "x.toml:4:9: steps is 2"},
    {HEAD "act = \"back\"\n", "x.toml:4:9: steps is 2, and there are 1"},
    {HEAD "act = \"tap\"\nwait = 3\n", "x.toml:18:1: unknown key wait"},
};

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(mistakes); i++) {
        json_t *doc = NULL;
        struct ia_err err = {0};
        enum ia_rc rc = ia_recording_read("x.toml", ia_str(mistakes[i].text), &doc, &err);
        if (rc != IA_E_CONFIG ||
            strncmp(err.msg, mistakes[i].message, strlen(mistakes[i].message)) != 0) {
            fail_msg("%s: %s", mistakes[i].message, err.msg);
        }
        assert_null(doc);
    }
}

static void half_a_file_is_no_recording(void **state)
{
    (void)state;
    size_t second = (size_t)(strstr(whole, "\nact = \"type_text\"") - whole);
    for (size_t n = 0; n < second; n++) {
        json_t *doc = NULL;
        assert_int_equal(ia_recording_read("x.toml", (struct ia_str){whole, n}, &doc, NULL),
                         IA_E_CONFIG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_target_is_a_signature),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(what_a_step_reads_has_a_name_from_there_on),
        cmocka_unit_test(half_a_file_is_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
