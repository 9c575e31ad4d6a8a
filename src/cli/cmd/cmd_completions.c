/* completions SHELL, and what scripts and packages call of the program: __complete KIND [PREFIX],
 * __man DIR.
 *
 * __complete runs each time that a person presses Tab. It starts nothing, creates nothing, prints
 * no error, and ends after 50 ms with what it has found, which is then nothing. */
#include "app/secret_source.h"
#include "app/setup.h"
#include "base/clock.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/docs/docs.h"
#include "driver/registry/device_registry.h"
#include "driver/usbmux/usbmux.h"
#include "store/schedules.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { COMPLETE_MS = 50, NEWEST = 20, SHORT_ID = 8 };

enum ia_rc ia_cmd_completions(struct ia_cli *c, struct ia_err *err)
{
    static const struct {
        const char *name;
        void (*write)(const struct ia_command *table, struct ia_buf *out);
    } shells[] = {{"bash", ia_docs_bash}, {"zsh", ia_docs_zsh}, {"fish", ia_docs_fish}};
    const char *shell = ia_args_operand(&c->args, 0);
    for (size_t i = 0; i < IA_COUNTOF(shells); i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            c->verbatim = true;
            shells[i].write(c->commands, &c->text);
            return IA_OK;
        }
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no completions for \"%s\"", shell);
    ia_err_hint(err, "the shells are " IA_DOCS_SHELLS);
    return rc;
}

/* ---- __complete -------------------------------------------------------------------------- */

struct offer {
    struct ia_cli *c;
    const char *prefix;
};

/* A line, where it has the prefix. What would be two lines is no value that can be offered. */
static void offer(struct offer *o, const char *value)
{
    if (strncmp(value, o->prefix, strlen(o->prefix)) != 0) {
        return;
    }
    for (const char *p = value; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f) {
            return;
        }
    }
    ia_buf_printf(&o->c->text, "%s\n", value);
}

static void on_device(void *ctx, const char *name)
{
    offer(ctx, name);
}

static bool on_run(void *ctx, const struct ia_run_row *row)
{
    size_t n = strlen(row->id);
    offer(ctx, n > SHORT_ID ? row->id + n - SHORT_ID : row->id);
    return true;
}

static bool on_sweep(void *ctx, const struct ia_sweep_row *row)
{
    size_t n = strlen(row->id);
    offer(ctx, n > SHORT_ID ? row->id + n - SHORT_ID : row->id);
    return true;
}

static bool on_schedule(void *ctx, const struct ia_schedule_row *row)
{
    offer(ctx, row->name);
    return true;
}

/* For all that is offered: who presses a key does not wait. A test's machine may be so busy that nothing is
 * done in time. */
static int time_ms(void)
{
#ifdef IA_TEST_HOOKS
    const char *given = getenv("IOS_AGENT_TEST_COMPLETE_MS");
    if (given) {
        return (int)strtol(given, NULL, 10);
    }
#endif
    return COMPLETE_MS;
}

static void devices(struct offer *o, struct ia_setup *s)
{
    struct ia_usbmux_phones all = {.count = 0};
    /* Before the time is over, as what has been found is still to be printed. */
    struct ia_deadline soon = {NULL, ia_mono_us(ia_clock_system()) + time_ms() * INT64_C(400)};
    struct ia_err ignored;
    char name[IA_USBMUX_UDID_SIZE + 8];
    ia_device_list(&s->paths, on_device, o);
    (void)ia_usbmux_list(&soon, &all, &ignored);
    for (size_t i = 0; i < all.count; i++) {
        (void)snprintf(name, sizeof(name), "iphone:%s", all.phones[i].udid);
        offer(o, name);
    }
}

static void agents(struct offer *o, struct ia_setup *s)
{
    const char *names[IA_CONFIG_AGENTS_MAX];
    size_t n = ia_config_agent_names(s->config, names);
    for (size_t i = 0; i < n; i++) {
        offer(o, names[i]);
    }
}

/* Files of the folder in which named sessions remember their devices. */
static void sessions(struct offer *o, struct ia_setup *s)
{
    char *folder = ia_path_join(s->paths.home, "sessions");
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            offer(o, entry->d_name);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
    free(folder);
}

static void commands(struct offer *o, struct ia_setup *s)
{
    char first[IA_DOCS_NAME_MAX];
    (void)s;
    for (const struct ia_command *cmd = o->c->commands; cmd->name; cmd++) {
        if (ia_docs_first(o->c->commands, cmd, first)) {
            offer(o, first);
        }
    }
}

static void topics(struct offer *o, struct ia_setup *s)
{
    (void)s;
    for (const struct ia_embedded *f = ia_docs_topics; f->name; f++) {
        char *topic = ia_strndup(f->name, strcspn(f->name, "."));
        offer(o, topic);
        free(topic);
    }
}

static void runs(struct offer *o, struct ia_setup *s)
{
    struct ia_run_filter filter = {.limit = NEWEST};
    offer(o, "last");
    (void)ia_store_runs(s->store, &filter, on_run, o, NULL);
}

static void sweeps(struct offer *o, struct ia_setup *s)
{
    offer(o, "last");
    (void)ia_store_sweeps(s->store, NEWEST, on_sweep, o, NULL);
}

static void ids(struct offer *o, struct ia_setup *s)
{
    runs(o, s);
    (void)ia_store_sweeps(s->store, NEWEST, on_sweep, o, NULL);
}

static void schedules(struct offer *o, struct ia_setup *s)
{
    (void)ia_store_schedules(s->store, NULL, on_schedule, o, NULL);
}

static void on_secret(void *ctx, const struct ia_secret_entry *entry)
{
    offer(ctx, entry->name);
}

static void secrets(struct offer *o, struct ia_setup *s)
{
    (void)ia_secrets_each(s->store, NULL, on_secret, o, NULL);
}

static void settings(struct offer *o, struct ia_setup *s)
{
    (void)s;
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        offer(o, ia_config_key_name((enum ia_config_key)i));
    }
}

static const struct kind {
    const char *name;
    void (*list)(struct offer *o, struct ia_setup *s);
    bool stored;
} kinds[] = {
    {"agents", agents, false},  {"commands", commands, false}, {"devices", devices, false},
    {"ids", ids, true},         {"runs", runs, true},          {"schedules", schedules, true},
    {"secrets", secrets, true}, {"sessions", sessions, false}, {"settings", settings, false},
    {"sweeps", sweeps, true},   {"topics", topics, false},
};

/* Opening the store would create it. */
static bool has_store(const struct ia_setup *s)
{
    char *db = ia_path_join(s->paths.home, "ios-agent.db");
    bool there = access(db, R_OK) == 0;
    free(db);
    return there;
}

static void list(struct offer *o, const struct kind *kind)
{
    struct ia_setup setup;
    bool ready = ia_setup_config(&setup, NULL) == IA_OK;
    if (ready && kind->stored) {
        ready =
            has_store(&setup) && ia_setup_store(&setup, "ios-agent __complete", NULL) == IA_OK;
    }
    if (ready) {
        kind->list(o, &setup);
    }
    ia_setup_close(&setup);
}

static void too_late(int sig)
{
    (void)sig;
    _exit(0);
}

enum ia_rc ia_cmd_complete_values(struct ia_cli *c, struct ia_err *err)
{
    struct sigaction sa = {.sa_handler = too_late};
    int ms = time_ms();
    struct itimerval timer = {
        .it_value = {.tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000}};
    const char *prefix = ia_args_operand(&c->args, 1);
    struct offer o = {.c = c, .prefix = prefix ? prefix : ""};
    (void)err;
    sigemptyset(&sa.sa_mask);
    (void)sigaction(SIGALRM, &sa, NULL);
    (void)setitimer(ITIMER_REAL, &timer, NULL);
    c->verbatim = true;
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        if (strcmp(kinds[i].name, ia_args_operand(&c->args, 0)) == 0) {
            list(&o, &kinds[i]);
        }
    }
    return IA_OK;
}

/* ---- __man ------------------------------------------------------------------------------- */

static enum ia_rc write_page(const struct ia_cli *c, const struct ia_command *cmd,
                             const char *folder, struct ia_err *err)
{
    char name[IA_DOCS_NAME_MAX], file[IA_DOCS_NAME_MAX + 2];
    struct ia_buf page = IA_BUF(IA_DOCS_BYTES_MAX);
    ia_docs_man_name(cmd, name);
    (void)snprintf(file, sizeof(file), "%s.1", name);
    char *path = ia_path_join(folder, file);
    ia_docs_man(c->commands, cmd, &page);
    enum ia_rc rc = ia_file_write_atomic(path, page.p, page.len, 0644, err);
    ia_buf_fini(&page);
    free(path);
    return rc;
}

enum ia_rc ia_cmd_man_pages(struct ia_cli *c, struct ia_err *err)
{
    const char *folder = ia_args_operand(&c->args, 0);
    enum ia_rc rc = ia_mkdirs(folder, err);
    for (const struct ia_command *cmd = c->commands; cmd->name && rc == IA_OK; cmd++) {
        if (!ia_command_hidden(cmd)) {
            rc = write_page(c, cmd, folder, err);
        }
    }
    return rc;
}
