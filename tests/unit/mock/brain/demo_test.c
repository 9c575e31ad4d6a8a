/* The demo brain in the real loop: over HTTP, through the client, on the simulated iPhone. */
#include "test.h"

#include "agent/claude/client.h"
#include "agent/run/run.h"
#include "driver/embedded/embedded.h"
#include "fixture.h"
#include "store/store.h"
#include "tmpdir.h"

struct rig {
    char *home;
    struct ia_store *store;
    struct ia_mock *mock;
    struct ia_claude *claude;
    struct ia_device *phone;
    struct ia_cancel *cancel;
    struct ia_run_result result;
    struct ia_buf events;
};

static struct ia_str borrow_key(void *ctx)
{
    (void)ctx;
    return ia_str("test-key");
}

static void must(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        fail_msg("%s", err->msg);
    }
}

static void rig_open(struct rig *r)
{
    struct ia_err err = {0};
    char url[64];
    *r = (struct rig){.home = tmpdir_new(), .events = IA_BUF(16 << 20)};
    struct ia_store_opts store = {.home = r->home};
    must(ia_store_open(&store, &r->store, &err), &err);
    r->mock = start_double(NULL, NULL);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", ia_mock_port(r->mock));
    struct ia_claude_options client = {.base_url = url, .secret = {.borrow = borrow_key}};
    must(ia_claude_new(&client, &r->claude, &err), &err);
    r->cancel = ia_cancel_new(&err);
}

static void rig_close(struct rig *r)
{
    ia_run_result_fini(&r->result);
    ia_claude_free(r->claude);
    ia_mock_stop(r->mock);
    ia_store_close(r->store);
    ia_cancel_free(r->cancel);
    ia_buf_fini(&r->events);
    tmpdir_free(r->home);
}

static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct rig *r = ctx;
    if (event != IA_EVENT_TEXT_DELTA) {
        ia_buf_putstr(&r->events, json);
        ia_buf_putc(&r->events, '\n');
    }
}

/* On a phone in factory state. */
static void run(struct rig *r, const char *goal)
{
    struct ia_err err = {0};
    const struct ia_embedded_options phone = {.name = "test", .fresh = true};
    must(ia_embedded_open(&phone, &r->phone, &err), &err);
    struct ia_run_env env = {.store = r->store,
                             .claude = r->claude,
                             .device = r->phone,
                             .cancel = r->cancel,
                             .observe = observe,
                             .observe_ctx = r};
    struct ia_run_request req = {
        .goal = goal, .model = "claude-sonnet-5-5", .demo_brain = true};
    ia_run_result_fini(&r->result);
    ia_buf_reset(&r->events);
    must(ia_run_execute(&env, &req, &r->result, &err), &err);
    ia_device_close(r->phone);
}

struct goal {
    const char *goal;
    const char *state;
    const char *words; /* in the summary */
};

static const struct goal goals[] = {
    {"open Contacts, add a contact named Ada Lovelace with phone 555-0100, check that Ada "
     "Lovelace is in the list",
     "passed", "literally"},
    {"open Contacts, add a contact named Grace Hopper with phone 555-0101 and email "
     "grace@example.com, check that Grace Hopper is on the screen",
     "passed", "literally"},
    {"open Contacts, search for Chen, check that Mei Chen is in the list", "passed",
     "literally"},
    {"open Contacts, delete Luca Bianchi, check that Luca Bianchi is not in the list", "passed",
     "literally"},
    {"open Contacts, check that Charles Babbage is in the list", "failed", "Charles Babbage"},
    {"open Settings, turn on Airplane Mode, check that Airplane Mode is on", "passed",
     "literally"},
    {"open Settings, tap General, tap About, check that Model Name is visible, go back, go "
     "home",
     "passed", "literally"},
    {"open Settings, scroll to Privacy, tap Privacy & Security", "passed", "literally"},
    {"open Settings, search for battery, take a screenshot", "passed", "literally"},
    {"open Settings, check that Airplane Mode is on", "failed", "expected"},
    {"open Shop, log in as ada with password engine-1843, add two Tea Kettle to the cart, add "
     "the Sketchbook to the cart, go to the cart, check that the total is $102.50, remove "
     "Sketchbook from the cart, apply the coupon WELCOME10, check that the total is $86.90",
     "passed", "literally"},
    {"open Shop, log in as ada with password nothing, add the Tea Kettle to the cart",
     "blocked", "Wrong user name or password."},
    {"open Shop, log in as ada with password engine-1843, add 12 Tea Kettle to the cart",
     "blocked", "is disabled"},
    {"open Reminders, add a reminder called Buy stamps due tomorrow to the Work list, check "
     "that Buy stamps is due tomorrow, mark Buy stamps as done, check that Buy stamps is "
     "completed, delete the reminder Book a meeting room, check that Book a meeting room is "
     "not in the list",
     "passed", "literally"},
    {"in Reminders add a reminder called Buy ink to the Books list", "blocked", "a list named"},
    {"open Calculator", "blocked", "no app named"},
    {"open Contacts, juggle three balls", "blocked", "juggle three balls"},
};

static void goals_come_to_their_verdict_in_the_real_loop(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    for (size_t i = 0; i < IA_COUNTOF(goals); i++) {
        const struct goal *g = &goals[i];
        run(&r, g->goal);
        if (strcmp(r.result.state, g->state) != 0 || !strstr(r.result.summary, g->words) ||
            counted(r.mock, "answered") != counted(r.mock, "messages")) {
            fail_msg("%s\n%s: %s\n%s", g->goal, r.result.state, r.result.summary,
                     ia_buf_cstr(&r.events));
        }
        print_message("%-8s %2d steps %4lld ms  %s\n", r.result.state, r.result.steps,
                      (long long)r.result.duration_ms, g->goal);
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_come_to_their_verdict_in_the_real_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
