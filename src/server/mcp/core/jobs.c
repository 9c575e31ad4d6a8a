/* jobs.c: one list in order of arrival under one lock. A thread takes the first job that may begin:
 * one whose key no earlier job has. */
#include "server/mcp/core/jobs.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct job *next;
    char *id, *key;
    size_t id_len;
    bool begun;
    struct ia_cancel *cancel;
    void *what;
};

struct ia_mcp_jobs {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a job was added or has ended, or the end has come */
    struct job *first;
    int count, idle, thread_count, threads_max, most;
    bool ending;
    pthread_t *threads;
    ia_mcp_job_fn *fn;
    void *ctx;
};

struct ia_mcp_jobs *ia_mcp_jobs_new(int threads, int most, ia_mcp_job_fn *fn, void *ctx)
{
    struct ia_mcp_jobs *j = ia_calloc(1, sizeof(*j));
    *j = (struct ia_mcp_jobs){.threads_max = threads, .most = most, .fn = fn, .ctx = ctx};
    j->threads = ia_calloc((size_t)threads, sizeof(*j->threads));
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->changed, NULL);
    return j;
}

static void free_job(struct job *job)
{
    ia_cancel_free(job->cancel);
    free(job->id);
    free(job->key);
    free(job);
}

/* The first job that may begin, or NULL. */
static struct job *startable(struct ia_mcp_jobs *j)
{
    for (struct job *job = j->first; job; job = job->next) {
        bool waits = job->begun;
        for (struct job *e = j->first; !waits && *job->key && e != job; e = e->next) {
            waits = strcmp(e->key, job->key) == 0;
        }
        if (!waits) {
            return job;
        }
    }
    return NULL;
}

static void take_out(struct ia_mcp_jobs *j, struct job *job)
{
    struct job **at = &j->first;
    while (*at != job) {
        at = &(*at)->next;
    }
    *at = job->next;
    j->count--;
}

static void *work(void *arg)
{
    struct ia_mcp_jobs *j = arg;
    pthread_mutex_lock(&j->mutex);
    for (;;) {
        struct job *job = startable(j);
        if (job) {
            job->begun = true;
            pthread_mutex_unlock(&j->mutex);
            j->fn(j->ctx, job->what, job->cancel);
            pthread_mutex_lock(&j->mutex);
            take_out(j, job);
            free_job(job);
            pthread_cond_broadcast(&j->changed);
        } else if (j->ending) {
            break;
        } else {
            j->idle++;
            pthread_cond_wait(&j->changed, &j->mutex);
            j->idle--;
        }
    }
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

/* A thread for the new job, unless one is free. One that cannot be started is done without, as long
 * as there is another. */
static bool ensure_thread(struct ia_mcp_jobs *j)
{
    if (j->idle == 0 && j->thread_count < j->threads_max &&
        pthread_create(&j->threads[j->thread_count], NULL, work, j) == 0) {
        j->thread_count++;
    }
    return j->thread_count > 0;
}

bool ia_mcp_jobs_add(struct ia_mcp_jobs *j, struct ia_str id, const char *key, void *what)
{
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    pthread_mutex_lock(&j->mutex);
    bool taken = cancel && !j->ending && j->count < j->most && ensure_thread(j);
    if (taken) {
        struct job *job = ia_calloc(1, sizeof(*job));
        *job = (struct job){.id = ia_strndup(id.p ? id.p : "", id.n),
                            .id_len = id.n,
                            .key = ia_strdup(key),
                            .cancel = cancel,
                            .what = what};
        struct job **at = &j->first;
        while (*at) {
            at = &(*at)->next;
        }
        *at = job;
        j->count++;
        pthread_cond_broadcast(&j->changed);
    }
    pthread_mutex_unlock(&j->mutex);
    if (!taken) {
        ia_cancel_free(cancel);
    }
    return taken;
}

void ia_mcp_jobs_cancel(struct ia_mcp_jobs *j, struct ia_str id)
{
    pthread_mutex_lock(&j->mutex);
    for (struct job *job = j->first; job; job = job->next) {
        if (id.n > 0 && ia_str_eq(id, (struct ia_str){job->id, job->id_len})) {
            ia_cancel_fire(job->cancel);
        }
    }
    pthread_mutex_unlock(&j->mutex);
}

/* Polled, as a condition variable's clock differs from the system's: the end is not often. */
static bool wait_for_end(struct ia_mcp_jobs *j, int64_t until_us)
{
    enum { POLL_US = 2000 };
    const struct ia_clock *clock = ia_clock_system();
    for (;;) {
        pthread_mutex_lock(&j->mutex);
        bool over = j->count == 0;
        pthread_mutex_unlock(&j->mutex);
        if (over || ia_mono_us(clock) >= until_us) {
            return over;
        }
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + POLL_US);
    }
}

bool ia_mcp_jobs_end(struct ia_mcp_jobs *j, int64_t ms)
{
    pthread_mutex_lock(&j->mutex);
    j->ending = true;
    for (struct job *job = j->first; job; job = job->next) {
        ia_cancel_fire(job->cancel);
    }
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->mutex);
    if (!wait_for_end(j, ia_mono_us(ia_clock_system()) + ms * 1000)) {
        return false;
    }
    for (int i = 0; i < j->thread_count; i++) {
        pthread_join(j->threads[i], NULL);
    }
    j->thread_count = 0;
    return true;
}

void ia_mcp_jobs_free(struct ia_mcp_jobs *j)
{
    if (j) {
        pthread_mutex_destroy(&j->mutex);
        pthread_cond_destroy(&j->changed);
        free(j->threads);
        free(j);
    }
}
