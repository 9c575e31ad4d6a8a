/* host.c: runs the program under test as a child and speaks the wire with it. */
#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { VARIABLES_MAX = 32, WORDS_MAX = 32, PAIRS_MAX = 16 };

/* ---- the process ---- */

struct strings {
    char *list[VARIABLES_MAX];
    size_t n;
};

static void add_variable(struct strings *s, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    assert_true(s->n + 1 < VARIABLES_MAX);
    s->list[s->n] = malloc(size);
    assert_non_null(s->list[s->n]);
    snprintf(s->list[s->n++], size, "%s=%s", name, value);
}

static void inherit(struct strings *s)
{
    static const char *const names[] = {"PATH",          "ASAN_OPTIONS", "LSAN_OPTIONS",
                                        "UBSAN_OPTIONS", "TSAN_OPTIONS", "BRIDGE_CLOCK"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (getenv(names[i])) {
            add_variable(s, names[i], getenv(names[i]));
        }
    }
}

/* The command line: the words of the wrapper, which point into `copy`, and the program. */
static void command(char *copy, char *argv[WORDS_MAX])
{
    const char *program = getenv("BRIDGE_PROGRAM");
    size_t n = 0;
    char *rest = copy;
    assert_non_null(program);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n + 2 < WORDS_MAX);
        argv[n++] = word;
    }
    argv[n++] = (char *)(uintptr_t)program;
    argv[n] = NULL;
}

static void spawn(struct host *h, char **argv, char **envp)
{
    int fds[2];
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(fcntl(fds[0], F_SETFD, FD_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, fds[1]);
    assert_int_equal(posix_spawnp(&h->pid, argv[0], &actions, NULL, argv, envp), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    h->out = fds[0];
}

/* One line of the program's output, without the newline; false at the end of the output. */
static bool read_line(int fd, char *line, size_t size)
{
    size_t n = 0;
    char c = 0;
    while (c != '\n' && read(fd, &c, 1) == 1) {
        if (c != '\n' && n + 1 < size) {
            line[n++] = c;
        }
    }
    line[n] = 0;
    return c == '\n' || n > 0;
}

void host_start(struct host *h, ...)
{
    struct strings env = {.n = 0};
    char *argv[WORDS_MAX];
    char wrapper[2048], line[256] = "";
    const char *name, *wrap = getenv("BRIDGE_WRAPPER");
    va_list ap;
    *h = (struct host){.out = -1};
    inherit(&env);
    add_variable(&env, "BRIDGE_TOKEN", HOST_TOKEN);
    va_start(ap, h);
    while ((name = va_arg(ap, const char *))) {
        add_variable(&env, name, va_arg(ap, const char *));
    }
    va_end(ap);
    snprintf(wrapper, sizeof(wrapper), "%s", wrap ? wrap : "");
    command(wrapper, argv);
    spawn(h, argv, env.list);
    while (sscanf(line, "BRIDGE_READY port=%hu", &h->port) != 1) {
        assert_true(read_line(h->out, line, sizeof(line)));
    }
    for (size_t i = 0; i < env.n; i++) {
        free(env.list[i]);
    }
}

static int wait_for(struct host *h)
{
    int status = 0;
    char line[256];
    while (read_line(h->out, line, sizeof(line))) {
    }
    close(h->out);
    while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int host_stop(struct host *h)
{
    struct link l;
    struct ia_wire_request req = {.op = IA_WIRE_OP_SHUTDOWN};
    struct ia_wire_reply reply;
    link_open(&l, h);
    link_call(&l, &req, &reply);
    ia_wire_reply_fini(&reply);
    link_close(&l);
    return wait_for(h);
}

void host_kill(struct host *h)
{
    kill(h->pid, SIGKILL);
    wait_for(h);
}

/* ---- the wire ---- */

void link_connect(struct link *l, const struct host *h)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    int one = 1;
    *l = (struct link){.next_id = 1};
    at.sin_port = htons(h->port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    l->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(l->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    ia_wire_reader_init(&l->reader, IA_WIRE_REPLY_MAX);
}

void link_open(struct link *l, const struct host *h)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HELLO};
    struct ia_wire_reply reply;
    link_connect(l, h);
    req.u.hello = (struct ia_wire_hello){.version = IA_WIRE_VERSION,
                                         .version_min = IA_WIRE_VERSION_MIN,
                                         .token = HOST_TOKEN,
                                         .client = "tests"};
    link_call(l, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    l->hello = reply.u.hello;
    l->hello.server = l->hello.udid = NULL;
    l->session = reply.u.hello.session;
    ia_wire_reply_fini(&reply);
}

void link_close(struct link *l)
{
    close(l->fd);
    ia_wire_reader_fini(&l->reader);
}

uint32_t link_send(struct link *l, const struct ia_wire_request *req)
{
    struct ia_wire_request numbered = *req;
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault = {0};
    numbered.id = l->next_id++;
    if (!ia_wire_put_request(&out, &numbered, &fault)) {
        fail_msg("%s", fault.text);
    }
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(l->fd, out.p + at, out.len - at, MSG_NOSIGNAL);
        assert_true(n > 0);
        at += (size_t)n;
    }
    ia_wire_buf_fini(&out);
    return numbered.id;
}

void link_receive(struct link *l, struct ia_wire_reply *ret)
{
    struct ia_wire_frame f;
    struct ia_wire_fault fault = {0};
    while (ia_wire_reader_next(&l->reader, &f) != IA_WIRE_READ_FRAME) {
        size_t room;
        uint8_t *to = ia_wire_reader_space(&l->reader, &room);
        assert_non_null(to);
        ssize_t n = recv(l->fd, to, room, 0);
        assert_true(n > 0);
        ia_wire_reader_added(&l->reader, (size_t)n);
    }
    if (!ia_wire_get_reply(&f, ret, &fault)) {
        fail_msg("%s", fault.text);
    }
}

void link_call(struct link *l, const struct ia_wire_request *req, struct ia_wire_reply *ret)
{
    uint32_t id = link_send(l, req);
    link_receive(l, ret);
    assert_int_equal(ret->id, id);
    assert_int_equal(ret->op, req->op);
}

/* ---- requests ---- */

void must(struct link *l, const struct ia_wire_request *req, enum ia_wire_outcome outcome)
{
    struct ia_wire_reply reply;
    link_call(l, req, &reply);
    assert_string_equal(reply.text ? reply.text : "", "");
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(reply.outcome, outcome);
    ia_wire_reply_fini(&reply);
}

void refused(struct link *l, const struct ia_wire_request *req, enum ia_wire_code code,
             enum ia_wire_outcome outcome)
{
    struct ia_wire_reply reply;
    link_call(l, req, &reply);
    assert_string_equal(ia_wire_code_name(reply.code), ia_wire_code_name(code));
    assert_int_equal(reply.outcome, outcome);
    assert_true(reply.text && reply.text[0]);
    ia_wire_reply_fini(&reply);
}

void launch_fake(struct link *l, ...)
{
    struct ia_wire_pair env[PAIRS_MAX];
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    struct ia_wire_reply reply;
    uint32_t n = 0;
    va_list ap;
    va_start(ap, l);
    while (n < PAIRS_MAX && (env[n].name = va_arg(ap, const char *))) {
        env[n++].value = va_arg(ap, const char *);
    }
    va_end(ap);
    req.u.launch = (struct ia_wire_launch){
        .bundle_id = FAKE_APP, .mode = IA_WIRE_LAUNCH_FRESH, .env = env, .env_n = n};
    link_call(l, &req, &reply);
    assert_string_equal(reply.text ? reply.text : "", "");
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(reply.u.state.state, IA_WIRE_APP_FOREGROUND);
    ia_wire_reply_fini(&reply);
}

void take_tree(struct link *l, struct ia_wire_reply *ret)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE};
    link_call(l, &req, ret);
    assert_string_equal(ret->text ? ret->text : "", "");
    assert_int_equal(ret->code, IA_WIRE_OK);
}

const struct ia_wire_node *find_node(const struct ia_wire_reply *tree, const char *identifier)
{
    for (uint32_t i = 0; i < tree->u.tree.nodes_n; i++) {
        const struct ia_wire_node *n = &tree->u.tree.nodes[i];
        if (n->identifier && strcmp(n->identifier, identifier) == 0) {
            return n;
        }
    }
    return NULL;
}

static const char *read_node(struct link *l, const char *identifier, bool value)
{
    static char text[512];
    struct ia_wire_reply tree;
    take_tree(l, &tree);
    const struct ia_wire_node *n = find_node(&tree, identifier);
    const char *s = !n ? NULL : value ? n->value : n->label;
    snprintf(text, sizeof(text), "%s", s ? s : "");
    ia_wire_reply_fini(&tree);
    return text;
}

const char *label_of(struct link *l, const char *identifier)
{
    return read_node(l, identifier, false);
}

const char *value_of(struct link *l, const char *identifier)
{
    return read_node(l, identifier, true);
}

int taps_of(struct link *l)
{
    return (int)strtol(label_of(l, "fake.taps"), NULL, 10);
}

const char *gesture_of(struct link *l)
{
    const char *s = label_of(l, "fake.gesture");
    const char *space = strchr(s, ' ');
    return space ? space + 1 : s;
}

struct ia_wire_selector by_id(const char *identifier)
{
    return (struct ia_wire_selector){.identifier = identifier};
}

uint16_t act_on(struct link *l, const char *identifier, uint32_t timeout_ms)
{
    struct ia_wire_selector s = by_id(identifier);
    struct ia_wire_request req = {.op = IA_WIRE_OP_ACT};
    struct ia_wire_reply reply;
    req.u.act.target.selector = &s;
    req.u.act.timeout_ms = timeout_ms;
    link_call(l, &req, &reply);
    uint16_t code = reply.code;
    ia_wire_reply_fini(&reply);
    return code;
}
