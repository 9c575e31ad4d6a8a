/* load_server EVENTS RATE: a loopback server that answers every POST with a streamed message of
 * EVENTS text deltas, RATE a second and stream. Each delta's text begins with the monotonic
 * time in microseconds at which it was sent, 16 digits, so that a client on the same machine
 * can tell how late it came. Prints its port, runs until its standard input ends. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STREAMS_MAX = 8192, HEAD_MAX = 1 << 20, PAUSE_MAX_US = 1000, POLL_EVERY_US = 2000 };

struct stream {
    int fd;              /* -1: gone, but still queued */
    struct stream *next; /* in the queue */
    struct ia_buf in;
    struct ia_buf out; /* what the socket did not take yet */
    int left;          /* events to send; 0: waiting for a request */
    int64_t due_us;
};

/* Every open stream. All streams have the same interval, so the
 * order in which they were queued is the order in which they are due. */
static struct stream *streams[STREAMS_MAX];
static size_t stream_count;
static struct stream *queue_head, *queue_tail;
static int events;
static int64_t step_us;

static const char head[] = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                           "request-id: req_load\r\ntransfer-encoding: chunked\r\n\r\n";
static const char begin[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_load\","
    "\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-5-5\",\"content\":[]"
    ","
    "\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":9,\"output_"
    "tokens\":1}"
    "}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: ping\n"
    "data: {\"type\": \"ping\"}\n\n";
static const char finish[] =
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
    "\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

static void put_chunk(struct stream *s, const char *p, size_t n)
{
    ia_buf_printf(&s->out, "%zx\r\n", n);
    ia_buf_put(&s->out, p, n);
    ia_buf_puts(&s->out, "\r\n");
}

static void put_event(struct stream *s)
{
    char text[256];
    int n = snprintf(text, sizeof(text),
                     "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
                     "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%016" PRId64
                     " the next few words\"}     }\n\n",
                     ia_mono_us(ia_clock_system()));
    put_chunk(s, text, (size_t)n);
}

static void enqueue(struct stream *s)
{
    s->next = NULL;
    *(queue_tail ? &queue_tail->next : &queue_head) = s;
    queue_tail = s;
}

static void release(struct stream *s)
{
    ia_buf_fini(&s->in);
    ia_buf_fini(&s->out);
    free(s);
}

static void drop(struct stream *s)
{
    close(s->fd);
    s->fd = -1;
    for (size_t i = 0; i < stream_count; i++) {
        if (streams[i] == s) {
            streams[i] = streams[--stream_count];
        }
    }
    if (s->left == 0) {
        release(s); /* else when its turn in the queue comes */
    }
}

static bool flush(struct stream *s)
{
    while (s->out.len > 0) {
        ssize_t n = send(s->fd, s->out.p, s->out.len, 0);
        if (n < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        ia_buf_consume(&s->out, (size_t)n);
    }
    return true;
}

/* True when the buffer holds a whole request; removes it. */
static bool whole_request(struct ia_buf *in)
{
    char *end = strstr(ia_buf_cstr(in), "\r\n\r\n");
    if (!end) {
        return false;
    }
    const char *length = strcasestr(in->p, "\r\ncontent-length:");
    size_t need = (size_t)(end - in->p) + 4 + (length ? strtoul(length + 17, NULL, 10) : 0);
    if (in->len < need) {
        return false;
    }
    ia_buf_consume(in, need);
    return true;
}

static void start_answer(struct stream *s)
{
    ia_buf_puts(&s->out, head);
    put_chunk(s, begin, sizeof(begin) - 1);
    s->left = events;
    s->due_us = ia_mono_us(ia_clock_system()) + step_us;
    enqueue(s);
}

static bool take_input(struct stream *s)
{
    char piece[16384];
    ssize_t n = recv(s->fd, piece, sizeof(piece), 0);
    if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    ia_buf_put(&s->in, piece, (size_t)n);
    if (whole_request(&s->in)) {
        start_answer(s);
    }
    return flush(s);
}

static void take_streams(int listener)
{
    int fd;
    while (stream_count < STREAMS_MAX && (fd = accept(listener, NULL, NULL)) >= 0) {
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        (void)ia_fd_nonblocking(fd);
        struct stream *s = ia_calloc(1, sizeof(*s));
        *s = (struct stream){.fd = fd, .in = IA_BUF(HEAD_MAX), .out = IA_BUF(HEAD_MAX)};
        streams[stream_count++] = s;
    }
}

/* Sends the next event of the stream whose turn it is. */
static void take_turn(struct stream *s)
{
    if (s->fd < 0) {
        release(s);
        return;
    }
    put_event(s);
    s->due_us += step_us;
    if (--s->left > 0) {
        enqueue(s);
    } else {
        put_chunk(s, finish, sizeof(finish) - 1);
        ia_buf_puts(&s->out, "0\r\n\r\n");
    }
    if (!flush(s)) {
        drop(s);
    }
}

/* Sends what is due; returns how long nothing will be. */
static int64_t send_due(void)
{
    int64_t now = ia_mono_us(ia_clock_system());
    while (queue_head && queue_head->due_us <= now) {
        struct stream *s = queue_head;
        queue_head = s->next;
        queue_tail = queue_head ? queue_tail : NULL;
        take_turn(s);
    }
    return queue_head ? queue_head->due_us - ia_mono_us(ia_clock_system()) : INT64_MAX;
}

/* Streams under way are polled only when a socket was full. */
static size_t fill_polls(struct pollfd *fds, struct stream **owner)
{
    size_t n = 0;
    for (size_t i = 0; i < stream_count; i++) {
        struct stream *s = streams[i];
        if (s->left == 0 || s->out.len > 0) {
            fds[n] = (struct pollfd){.fd = s->fd, .events = s->out.len ? POLLOUT : POLLIN};
            owner[n++] = s;
        }
    }
    return n;
}

static void take_polls(const struct pollfd *fds, struct stream **owner, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        short got = fds[k].revents;
        if (got && !(got & POLLOUT ? flush(owner[k]) : take_input(owner[k]))) {
            drop(owner[k]);
        }
    }
}

/* Sleeps until the next event is due: streams of many users do not come in bursts, and poll()
 * only counts milliseconds. */
static void pause_us(int64_t us)
{
    struct timespec t = {.tv_nsec = (long)(us < PAUSE_MAX_US ? us : PAUSE_MAX_US) * 1000};
    if (us > 0) {
        nanosleep(&t, NULL);
    }
}

static int serve(int listener)
{
    static struct pollfd fds[STREAMS_MAX + 2];
    static struct stream *owner[STREAMS_MAX];
    int64_t polled_us = 0;
    for (;;) {
        int64_t wait_us = send_due();
        int64_t now = ia_mono_us(ia_clock_system());
        if (wait_us != INT64_MAX && now - polled_us < POLL_EVERY_US) {
            pause_us(wait_us);
            continue;
        }
        polled_us = now;
        fds[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = listener, .events = POLLIN};
        size_t n = fill_polls(fds + 2, owner);
        if (poll(fds, (nfds_t)(n + 2), wait_us == INT64_MAX ? 1000 : 0) <= 0) {
            continue;
        }
        if (fds[0].revents) {
            return 0;
        }
        take_polls(fds + 2, owner, n);
        take_streams(listener);
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct rlimit files;
    if (argc != 3) {
        fprintf(stderr, "usage: load_server EVENTS RATE\n");
        return 2;
    }
    events = (int)strtol(argv[1], NULL, 10);
    step_us = 1000000 / strtol(argv[2], NULL, 10);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 10240 ? files.rlim_max : 10240;
    setrlimit(RLIMIT_NOFILE, &files);
    (void)ia_fd_nonblocking(listener);
    if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 4096) ||
        getsockname(listener, (struct sockaddr *)&a, &n)) {
        perror("load_server");
        return 1;
    }
    printf("%d\n", ntohs(a.sin_port));
    fflush(stdout);
    return serve(listener);
}
