/* The simulated phone: what a thousand of them cost, how fast one replays its log, how long a
 * tree, a tap and a picture take. bench_phones [PHONES]; one figure a line. */
#include "base/fd.h"
#include "driver/embedded/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { REPLAY_OPS = 10000, LOOKS = 2000, PICTURES = 5 };

static const struct ia_deadline no_limit = {.cancel = NULL, .at_us = IA_NO_DEADLINE};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static void must(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        fprintf(stderr, "bench_phones: %s\n", err->msg);
        exit(1);
    }
}

/* Peak resident bytes of this process. */
static double peak_kb(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
#ifdef __APPLE__
    return (double)u.ru_maxrss / 1024;
#else
    return (double)u.ru_maxrss;
#endif
}

static struct ia_device *new_phone(const char *folder)
{
    struct ia_embedded_options opt = {.folder = folder, .name = "bench"};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    must(ia_embedded_open(&opt, &d, &err), &err);
    return d;
}

static void tap(struct ia_device *d, double x, double y)
{
    struct ia_err err = {0};
    must(ia_device_tap(d, &no_limit, (struct ia_point){x, y}, &err), &err);
}

static void open_contacts(struct ia_device *d)
{
    struct ia_err err = {0};
    must(ia_device_launch(d, &no_limit, "com.apple.MobileAddressBook", &err), &err);
}

/* Each phone has a changed setting, a started app and a contact being typed. */
static void bench_memory(int count)
{
    struct ia_device **phones = ia_calloc((size_t)count, sizeof(*phones));
    struct ia_err err = {0};
    double before = peak_kb();
    for (int i = 0; i < count; i++) {
        phones[i] = new_phone(NULL);
        open_contacts(phones[i]);
        tap(phones[i], 363, 81);
        must(ia_device_type_text(phones[i], &no_limit, ia_str("Ada\nLovelace"), &err), &err);
    }
    printf("idle phone, of %d in one process: %.1f KB each\n", count,
           (peak_kb() - before) / count);
    for (int i = 0; i < count; i++) {
        ia_device_close(phones[i]);
    }
    free(phones);
}

static void bench_looks(void)
{
    struct ia_device *d = new_phone(NULL);
    open_contacts(d);
    struct ia_err err = {0};
    struct ia_tree *t = NULL;
    int64_t start = now_us();
    for (int i = 0; i < LOOKS; i++) {
        must(ia_device_tree(d, &no_limit, &t, &err), &err);
        ia_tree_free(t);
    }
    printf("tree of the contacts list: %.1f us\n", (double)(now_us() - start) / LOOKS);
    start = now_us();
    for (int i = 0; i < LOOKS; i++) {
        tap(d, 196, 30);
    }
    printf("tap on it: %.1f us\n", (double)(now_us() - start) / LOOKS);
    ia_device_close(d);
}

static void bench_replay(void)
{
    char folder[] = "/tmp/bench-phone-XXXXXX";
    if (!mkdtemp(folder)) {
        exit(1);
    }
    struct ia_device *d = new_phone(folder);
    open_contacts(d);
    int64_t start = now_us();
    for (int i = 1; i < REPLAY_OPS; i++) {
        struct ia_err err = {0};
        double y = i % 2 ? 200 : 700;
        if (i % 5 == 0) {
            must(ia_device_drag(d, &no_limit, (struct ia_point){150, y},
                                (struct ia_point){150, 900 - y}, 300, &err),
                 &err);
        } else {
            tap(d, 196 - 140 * (i % 3 == 0), i % 3 == 0 ? 81 : y);
        }
    }
    printf("operation, logged: %.1f us\n", (double)(now_us() - start) / REPLAY_OPS);
    ia_device_close(d);
    start = now_us();
    d = new_phone(folder);
    printf("replay of %d operations: %.0f ms\n", REPLAY_OPS, (double)(now_us() - start) / 1000);
    ia_device_close(d);
    static const char *const files[] = {"bench.log", "bench.lock"};
    for (size_t i = 0; i < IA_COUNTOF(files); i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void bench_pictures(void)
{
    struct ia_device *d = new_phone(NULL);
    struct ia_err err = {0};
    for (int home = 1; home >= 0; home--) {
        int64_t total = 0;
        size_t bytes = 0;
        for (int i = 0; i < PICTURES; i++) {
            struct ia_buf png = IA_BUF((size_t)16 << 20);
            int64_t start = now_us();
            must(ia_device_screenshot(d, &no_limit, &png, &err), &err);
            total += now_us() - start;
            bytes = png.len;
            ia_buf_fini(&png);
        }
        printf("picture of %s: %.0f ms, %zu KB\n", home ? "the home screen" : "a list",
               (double)total / PICTURES / 1000, bytes / 1024);
        open_contacts(d);
    }
    ia_device_close(d);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    bench_memory(count > 0 && count <= 100000 ? (int)count : 1000);
    bench_looks();
    bench_replay();
    bench_pictures();
    return 0;
}
