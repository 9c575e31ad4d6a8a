/* reactor.c: the thread that runs curl's multi handle.
 *
 *     other threads: post(job) ─► queue ─► byte into the wake pipe
 *                                               │
 *     this thread:  ┌► take the jobs: add or remove handles
 *                   │  poll: wake pipe, every socket that curl named, curl's timer
 *                   │  curl acts on each ready socket: callbacks of http.c, notices gathered
 *                   └─ finished transfers: done(transfer, result)
 *
 * curl's handles and `fds` belong to this thread alone; the lock guards the queue of jobs and
 * `stopping`. A stop is waited for, because the transfer's memory is freed after it. */
#include "net/reactor.h"

#include "base/clock.h"
#include "base/fd.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STACK_BYTES = 1024 * 1024,
    KEPT_CONNECTIONS = 1024, /* between turns */
    /* With many streams, bytes are gathered for a moment: one poll then serves many of them,
     * and a delta is late by a millisecond at most. */
    BUSY_SOCKETS = 32,
    GATHER_MS = 1,
    POLL_MAX_MS = 60000
};

struct ia_reactor {
    const struct ia_curl *curl;
    ia_reactor_ready *on_ready;
    ia_reactor_done *done;
    CURLM *multi;
    pthread_t thread;
    int wake[2];
    pthread_mutex_t lock;
    pthread_cond_t taken;
    struct ia_transfer_job *first, *last; /* guarded by lock, as is stopping */
    bool stopping;
    /* The thread's own. */
    struct pollfd *fds; /* [0] is the wake pipe, the rest what curl waits for */
    struct pollfd *ready;
    size_t count, cap;
    int64_t timer_us; /* when curl wants to be called at the latest */
    struct ia_transfer_notice *notices;
};

static size_t find_fd(const struct ia_reactor *r, curl_socket_t fd)
{
    size_t i = 1;
    while (i < r->count && r->fds[i].fd != fd) {
        i++;
    }
    return i;
}

static void add_fd(struct ia_reactor *r, curl_socket_t fd)
{
    if (r->count == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 16;
        r->fds = ia_realloc(r->fds, r->cap, sizeof(*r->fds));
        r->ready = ia_realloc(r->ready, r->cap, sizeof(*r->ready));
    }
    r->fds[r->count++] = (struct pollfd){.fd = fd};
}

/* curl waits for something on a socket, or no longer does. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct ia_reactor *r = ctx;
    (void)easy;
    (void)unused;
    size_t i = find_fd(r, fd);
    if (what == CURL_POLL_REMOVE) {
        if (i < r->count) {
            /* Order does not matter, except that [0] is the wake pipe. */
            r->fds[i] = r->fds[--r->count];
        }
        return 0;
    }
    if (i == r->count) {
        add_fd(r, fd);
    }
    r->fds[i].events =
        (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct ia_reactor *r = ctx;
    (void)multi;
    /* Only noted: wait_and_act calls curl when the time has come. */
    r->timer_us =
        timeout_ms < 0 ? INT64_MAX : ia_mono_us(ia_clock_system()) + (int64_t)timeout_ms * 1000;
    return 0;
}

/* Delivers the notices gathered during one call of curl. A sending thread that woke for every
 * piece of an answer would spend more time on waking than on the pieces. */
static void deliver_notices(struct ia_reactor *r)
{
    while (r->notices) {
        struct ia_transfer_notice *n = r->notices;
        r->notices = n->next;
        n->pending = false;
        r->on_ready(n->transfer);
    }
}

void ia_reactor_notify(struct ia_reactor *r, struct ia_transfer_notice *n)
{
    if (!n->pending) {
        n->pending = true;
        n->next = r->notices;
        r->notices = n;
    }
}

static void socket_action(struct ia_reactor *r, curl_socket_t fd, int events)
{
    int running;
    r->curl->curl_multi_socket_action_(r->multi, fd, events, &running);
    deliver_notices(r);
}

/* The jobs posted so far, in order; false when the thread is to end. */
static bool take_jobs(struct ia_reactor *r, struct ia_transfer_job **ret)
{
    pthread_mutex_lock(&r->lock);
    *ret = r->first;
    r->first = r->last = NULL;
    bool go_on = !r->stopping;
    pthread_mutex_unlock(&r->lock);
    return go_on;
}

static void run_jobs(struct ia_reactor *r, struct ia_transfer_job *job)
{
    while (job) {
        /* Read now: the job is its owner's again once it is taken. */
        struct ia_transfer_job *next = job->next;
        if (job->stop) {
            /* Harmless for a transfer that has ended and was removed already. */
            r->curl->curl_multi_remove_handle_(r->multi, job->easy);
            deliver_notices(r); /* the transfer is gone once the job is taken */
        } else {
            r->curl->curl_multi_add_handle_(r->multi, job->easy);
        }
        pthread_mutex_lock(&r->lock);
        job->taken = true;
        pthread_cond_broadcast(&r->taken);
        pthread_mutex_unlock(&r->lock);
        job = next;
    }
}

static int poll_ms(const struct ia_reactor *r)
{
    if (r->timer_us == INT64_MAX) {
        return POLL_MAX_MS;
    }
    /* Rounded up, or the poll would spin through the last millisecond. */
    int64_t ms = (r->timer_us - ia_mono_us(ia_clock_system()) + 999) / 1000;
    return ms < 0 ? 0 : ms < POLL_MAX_MS ? (int)ms : POLL_MAX_MS;
}

/* Lets curl act on every socket that is ready. The list is copied first, as curl changes it. */
static void act_on_ready(struct ia_reactor *r)
{
    size_t n = 0;
    for (size_t i = 1; i < r->count; i++) {
        if (r->fds[i].revents) {
            r->ready[n++] = r->fds[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        short got = r->ready[i].revents;
        socket_action(r, r->ready[i].fd,
                      (got & (POLLIN | POLLHUP) ? CURL_CSELECT_IN : 0) |
                          (got & POLLOUT ? CURL_CSELECT_OUT : 0) |
                          (got & (POLLERR | POLLNVAL) ? CURL_CSELECT_ERR : 0));
    }
}

static void wait_and_act(struct ia_reactor *r)
{
    /* Only the wake pipe is polled here, so a posted job still ends the pause. */
    if (r->count > BUSY_SOCKETS) {
        (void)poll(r->fds, 1, GATHER_MS);
    }
    int ready = poll(r->fds, (nfds_t)r->count, poll_ms(r));
    /* One read is enough: what is left makes the next poll return at once. */
    if (ready > 0 && r->fds[0].revents) {
        char bytes[256];
        ssize_t n = read(r->wake[0], bytes, sizeof(bytes));
        (void)n;
    }
    if (ready > 0) {
        act_on_ready(r);
    }
    if (ia_mono_us(ia_clock_system()) >= r->timer_us) {
        /* Before the call, which may set the next one. */
        r->timer_us = INT64_MAX;
        socket_action(r, CURL_SOCKET_TIMEOUT, 0);
    }
}

static void finish_done(struct ia_reactor *r)
{
    int left;
    CURLMsg *m;
    while ((m = r->curl->curl_multi_info_read_(r->multi, &left))) {
        if (m->msg == CURLMSG_DONE) {
            /* Copied: the message is gone once its handle is removed. */
            CURL *easy = m->easy_handle;
            CURLcode code = m->data.result;
            void *transfer = NULL;
            r->curl->curl_easy_getinfo_(easy, CURLINFO_PRIVATE, &transfer);
            r->curl->curl_multi_remove_handle_(r->multi, easy);
            r->done(transfer, code);
        }
    }
}

static void *run(void *ctx)
{
    struct ia_reactor *r = ctx;
    struct ia_transfer_job *jobs;
    while (take_jobs(r, &jobs)) {
        run_jobs(r, jobs);
        wait_and_act(r);
        finish_done(r);
    }
    return NULL;
}

/* Signals are for other threads; SIGPIPE, which TLS libraries may raise, is for none. */
static int start_thread(struct ia_reactor *r)
{
    sigset_t all, before;
    pthread_attr_t attr;
    sigfillset(&all);
    pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&r->thread, &attr, run, r);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return failed;
}

static void set_multi(struct ia_reactor *r)
{
    const struct ia_curl *curl = r->curl;
    curl->curl_multi_setopt_(r->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl->curl_multi_setopt_(r->multi, CURLMOPT_SOCKETDATA, r);
    curl->curl_multi_setopt_(r->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl->curl_multi_setopt_(r->multi, CURLMOPT_TIMERDATA, r);
    curl->curl_multi_setopt_(r->multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
    /* A connection that breaks takes one conversation with it, not all of them. */
    curl->curl_multi_setopt_(r->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
}

static void release(struct ia_reactor *r)
{
    if (r->multi) {
        r->curl->curl_multi_cleanup_(r->multi);
    }
    close(r->wake[0]);
    close(r->wake[1]);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->taken);
    free(r->fds);
    free(r->ready);
    free(r);
}

enum ia_rc ia_reactor_new(ia_reactor_ready *ready, ia_reactor_done *done,
                          struct ia_reactor **ret, struct ia_err *err)
{
    int wake[2];
    const struct ia_curl *curl = ia_curl(err);
    if (!curl) {
        return IA_E_MISSING;
    }
    enum ia_rc rc = ia_pipe(wake, err);
    if (rc) {
        return rc;
    }
    struct ia_reactor *r = ia_calloc(1, sizeof(*r));
    *r = (struct ia_reactor){.curl = curl,
                             .on_ready = ready,
                             .done = done,
                             .wake = {wake[0], wake[1]},
                             .timer_us = INT64_MAX};
    (void)ia_fd_nonblocking(wake[0]);
    (void)ia_fd_nonblocking(wake[1]);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->taken, NULL);
    add_fd(r, wake[0]);
    r->fds[0].events = POLLIN;
    r->multi = curl->curl_multi_init_();
    if (r->multi) {
        set_multi(r);
    }
    if (!r->multi || start_thread(r)) {
        release(r);
        return ia_err_set(err, IA_E_INTERNAL,
                          "cannot start the thread for the API connections");
    }
    *ret = r;
    return IA_OK;
}

static void wake_up(struct ia_reactor *r)
{
    /* A full pipe is readable already. */
    ssize_t n = write(r->wake[1], "x", 1);
    (void)n;
}

void ia_reactor_free(struct ia_reactor *r)
{
    if (!r) {
        return;
    }
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_mutex_unlock(&r->lock);
    wake_up(r);
    pthread_join(r->thread, NULL);
    release(r);
}

static void post(struct ia_reactor *r, struct ia_transfer_job *job)
{
    pthread_mutex_lock(&r->lock);
    if (r->last) {
        r->last->next = job;
    } else {
        r->first = job;
    }
    r->last = job;
    pthread_mutex_unlock(&r->lock);
    wake_up(r);
}

void ia_reactor_start(struct ia_reactor *r, struct ia_transfer_job *job, CURL *easy)
{
    /* The job belongs to this thread until it is taken; it is part of the transfer, so
     * nothing is allocated here. */
    *job = (struct ia_transfer_job){.easy = easy};
    post(r, job);
}

void ia_reactor_stop(struct ia_reactor *r, struct ia_transfer_job *job, CURL *easy)
{
    *job = (struct ia_transfer_job){.easy = easy, .stop = true};
    post(r, job);
    pthread_mutex_lock(&r->lock);
    while (!job->taken) {
        pthread_cond_wait(&r->taken, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}
