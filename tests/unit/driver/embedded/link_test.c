/* Phones of one folder that exchange messages: once each, in order, over restarts, resets and damage. */
#include "phone_fixture.h"

#include "driver/embedded/fault/peers.h"
#include "driver/embedded/mailbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGES "com.apple.MobileSMS"

static struct ia_device *linked(const char *folder, const char *name, const char *query,
                                bool fresh)
{
    struct ia_embedded_options opt = {
        .folder = folder, .name = name, .query = query, .fresh = fresh};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    if (ia_embedded_open(&opt, &d, &err) != IA_OK) {
        fail_msg("%s: %s", name, err.msg);
    }
    return d;
}

static struct ia_device *phone(const char *folder, const char *name)
{
    return linked(folder, name, "link=alice,bob,carol", false);
}

/* Into the conversation with the phone of that name, from anywhere. */
static void open_chat(struct ia_device *d, const char *with)
{
    char number[IA_PEER_NUMBER_BYTES], url[64];
    ia_peer_number(with, number);
    (void)snprintf(url, sizeof(url), "sms:%s", number);
    assert_int_equal(d->ops->open_url(d, &no_limit, url, NULL), IA_OK);
}

static void send_text(struct ia_device *d, const char *to, const char *text)
{
    open_chat(d, to);
    tap(d, "message");
    type(d, text);
    tap(d, "send");
}

/* How many messages of its conversations say that. */
static int count(struct ia_device *d, const char *text)
{
    ia_tree_free(tree_of(d)); /* what is in the mailbox is received */
    char *state = state_of(d), row[128];
    int n = 0;
    (void)snprintf(row, sizeof(row), "\"mine\":false,\"text\":\"%s\"", text);
    for (const char *at = state; (at = strstr(at, row)); at += strlen(row)) {
        n++;
    }
    free(state);
    return n;
}

static void write_mail(const char *folder, const char *name, const char *text)
{
    char file[32];
    (void)snprintf(file, sizeof(file), "%s.mail", name);
    int fd = open(file_path(folder, file), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void a_message_arrives_once_and_is_answered(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    send_text(alice, "bob", "Where are you?");
    assert_true(shows(alice, "Delivered"));
    launch(bob, MESSAGES);
    assert_value(bob, "Alice", "1 unread");
    assert_int_equal(count(bob, "Where are you?"), 1);
    send_text(bob, "alice", "At the corner");
    assert_true(shows(alice, "At the corner"));
    assert_int_equal(count(alice, "At the corner"), 1);
    assert_int_equal(count(bob, "Where are you?"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_message_waits_for_a_phone_that_is_not_there_yet(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice");
    send_text(alice, "bob", "first");
    send_text(alice, "bob", "second");
    ia_device_close(alice);
    struct ia_device *bob = phone(folder, "bob");
    open_chat(bob, "alice");
    assert_true(shows(bob, "first"));
    char *text = state_of(bob);
    assert_true(strstr(text, "first") < strstr(text, "second"));
    free(text);
    ia_device_close(bob);
    folder_remove(folder);
}

static void nothing_comes_again_after_a_restart_or_a_reset(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    send_text(alice, "bob", "only once");
    assert_int_equal(count(bob, "only once"), 1);
    for (int i = 0; i < 2; i++) {
        ia_device_close(alice);
        ia_device_close(bob);
        alice = phone(folder, "alice");
        bob = phone(folder, "bob");
        assert_int_equal(count(bob, "only once"), 1);
    }
    assert_int_equal(bob->ops->reset(bob, &no_limit, NULL), IA_OK);
    assert_int_equal(count(bob, "only once"), 0);
    ia_device_close(bob);
    bob = phone(folder, "bob");
    assert_int_equal(count(bob, "only once"), 0);
    send_text(alice, "bob", "after the reset");
    assert_int_equal(count(bob, "after the reset"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_phone_that_was_reset_sends_what_is_written_on_it_then(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    send_text(alice, "bob", "one");
    send_text(alice, "bob", "two");
    assert_int_equal(alice->ops->reset(alice, &no_limit, NULL), IA_OK);
    send_text(alice, "bob", "three");
    assert_int_equal(count(bob, "three"), 1);
    ia_device_close(alice);
    alice = phone(folder, "alice");
    send_text(alice, "bob", "four");
    static const char *const sent[] = {"one", "two", "three", "four"};
    for (size_t i = 0; i < IA_COUNTOF(sent); i++) {
        assert_int_equal(count(bob, sent[i]), 1);
    }
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void phones_that_are_begun_anew_get_and_send_what_is_new(void **state)
{
    (void)state;
    static const char query[] = "link=alice,bob";
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    send_text(alice, "bob", "same words");
    assert_int_equal(count(bob, "same words"), 1);
    ia_device_close(alice);
    alice = linked(folder, "alice", query, true);
    send_text(alice, "bob", "same words"); /* with the same numbers as before */
    assert_int_equal(count(bob, "same words"), 2);
    ia_device_close(bob);
    bob = linked(folder, "bob", query, true);
    assert_int_equal(count(bob, "same words"), 0);
    send_text(alice, "bob", "new words");
    assert_int_equal(count(bob, "new words"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_damaged_mailbox_loses_no_other_message(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    write_mail(folder, "bob",
               "not JSON\n{}\n{\"from\":\"alice\",\"as\":\"1\",\"no\":1,\"text\":\"\\u0007\"}\n"
               "{\"from\":\"mallory\",\"as\":\"1\",\"no\":2,\"text\":\"from a stranger\"}\n"
               "{\"from\":\"alice\",\"as\":\"1\",\"no\":3,\"te");
    assert_int_equal(count(bob, "from a stranger"), 0);
    send_text(alice, "bob", "whole"); /* cuts the torn line off */
    assert_int_equal(count(bob, "whole"), 1);
    send_text(alice, "bob", "next");
    assert_int_equal(count(bob, "next"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_message_as_long_as_the_torn_line_before_it_is_received(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"from\":\"alice\",\"as\":\"1\",\"no\":1,\"text\":\"short\"}\n";
    static const char torn[] = "{\"from\":\"carol\",\"as\":\"1\",\"no\":1,\"text\":\"a longer ";
    char *folder = folder_new(), cut[sizeof(whole)] = "";
    struct ia_device *bob = phone(folder, "bob");
    memcpy(cut, torn, sizeof(cut) - 1);
    write_mail(folder, "bob", cut);
    assert_int_equal(count(bob, "short"), 0);
    assert_int_equal(truncate(file_path(folder, "bob.mail"), 0), 0);
    write_mail(folder, "bob", whole);
    assert_int_equal(count(bob, "short"), 1);
    ia_device_close(bob);
    folder_remove(folder);
}

/* The process may write no more than its limit: the log has room, the mailbox has not. */
static void a_message_that_the_disk_has_no_room_for_is_delivered_later(void **state)
{
    (void)state;
    char *folder = folder_new(), filler[4096];
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    memset(filler, ' ', sizeof(filler));
    memcpy(&filler[sizeof(filler) - 2], "\n", 2);
    for (int i = 0; i < 16; i++) {
        write_mail(folder, "bob", filler);
    }
    struct rlimit old, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = old;
    tight.rlim_cur = 16 * (sizeof(filler) - 1) + 20;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    send_text(alice, "bob", "kept");
    struct ia_tree *tree = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = alice->ops->tree(alice, &no_limit, &tree, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(rc, IA_E_IO);
    assert_int_equal(count(bob, "kept"), 0);
    ia_tree_free(tree_of(alice));
    assert_int_equal(count(bob, "kept"), 1);
    ia_tree_free(tree_of(alice));
    assert_int_equal(count(bob, "kept"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_message_for_which_a_mailbox_is_too_full_is_refused_whole(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    struct ia_buf filler = IA_BUF(IA_MAILBOX_BYTES_MAX);
    char *spaces = ia_buf_reserve(&filler, IA_MAILBOX_BYTES_MAX - 20);
    memset(spaces, ' ', IA_MAILBOX_BYTES_MAX - 20);
    spaces[IA_MAILBOX_BYTES_MAX - 21] = '\n';
    ia_buf_grew(&filler, IA_MAILBOX_BYTES_MAX - 20);
    write_mail(folder, "bob", ia_buf_cstr(&filler));
    send_text(alice, "bob", "too much");
    struct ia_tree *tree = NULL;
    struct ia_err err = {0};
    assert_int_equal(alice->ops->tree(alice, &no_limit, &tree, &err), IA_E_LIMIT);
    assert_non_null(strstr(err.msg, "bob.mail"));
    assert_non_null(strstr(err.hint, "full"));
    struct stat st;
    assert_int_equal(stat(file_path(folder, "bob.mail"), &st), 0);
    assert_int_equal(st.st_size, IA_MAILBOX_BYTES_MAX - 20);
    assert_int_equal(count(bob, "too much"), 0); /* which goes on */
    ia_buf_fini(&filler);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void airplane_mode_holds_messages_back(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice"), *bob = phone(folder, "bob");
    assert_int_equal(bob->ops->open_url(bob, &no_limit, "prefs:", NULL), IA_OK);
    tap(bob, "Airplane Mode");
    send_text(alice, "bob", "later");
    assert_int_equal(count(bob, "later"), 0);
    tap(bob, "Airplane Mode");
    assert_int_equal(count(bob, "later"), 1);
    ia_device_close(alice);
    ia_device_close(bob);
    folder_remove(folder);
}

static void a_linked_phone_is_found_by_its_name(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *alice = phone(folder, "alice");
    launch(alice, MESSAGES);
    tap(alice, "compose");
    type(alice, "bo");
    tap(alice, "Bob");
    assert_true(shows(alice, "message"));
    struct ia_device *d = NULL;
    struct ia_embedded_options nowhere = {.name = "alice", .query = "link=bob"};
    assert_int_equal(ia_embedded_open(&nowhere, &d, NULL), IA_E_USAGE);
    ia_device_close(alice);
    folder_remove(folder);
}

static void names_of_phones_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {"Alice",
                                      "a b",
                                      "a,,b",
                                      ",",
                                      "a,a",
                                      "../a",
                                      "a,b,c,d,e,f,g,h,i",
                                      "abcdefghijklmnopqrstuvwxyz0123456"};
    struct ia_peers peers;
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_peers_parse(ia_str(bad[i]), &peers, NULL), IA_E_USAGE);
    }
    assert_int_equal(ia_peers_parse(ia_str("alice,bob-2"), &peers, NULL), IA_OK);
    assert_int_equal(peers.count, 2);
    assert_int_equal(ia_peers_parse(ia_str("none"), &peers, NULL), IA_OK);
    assert_int_equal(peers.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_once_and_is_answered),
        cmocka_unit_test(a_message_waits_for_a_phone_that_is_not_there_yet),
        cmocka_unit_test(nothing_comes_again_after_a_restart_or_a_reset),
        cmocka_unit_test(phones_that_are_begun_anew_get_and_send_what_is_new),
        cmocka_unit_test(a_damaged_mailbox_loses_no_other_message),
        cmocka_unit_test(a_phone_that_was_reset_sends_what_is_written_on_it_then),
        cmocka_unit_test(a_message_as_long_as_the_torn_line_before_it_is_received),
        cmocka_unit_test(a_message_that_the_disk_has_no_room_for_is_delivered_later),
        cmocka_unit_test(a_message_for_which_a_mailbox_is_too_full_is_refused_whole),
        cmocka_unit_test(airplane_mode_holds_messages_back),
        cmocka_unit_test(a_linked_phone_is_found_by_its_name),
        cmocka_unit_test(names_of_phones_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
