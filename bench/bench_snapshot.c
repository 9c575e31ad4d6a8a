/* Snapshots: text, JSON and time of each tree, growth with the number of elements, memory.
 *
 * bench_snapshot GROWING_TREE TREE... ; .xml is WebDriverAgent's, .json is AXe's. One JSON line
 * for each TREE: {"tree","nodes","us","wall_us","text","snapshot"}, then, of the first one
 * repeated,
 * {"long":[{"nodes","us","wall_us"}…],"piled":[…],"peak_kb"}. us is the median CPU time from a
 * parsed tree to the text form, wall_us what a clock on the wall shows. */
#include "base/clock.h"
#include "base/fd.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 301, BATCH = 5 };

static struct ia_tree *load(const char *path)
{
    struct ia_buf raw = IA_BUF(IA_ADAPT_BYTES_MAX);
    struct ia_err err = {0};
    struct ia_tree *t = NULL;
    const char *dot = strrchr(path, '.');
    bool xml = dot && strcmp(dot, ".xml") == 0;
    if (ia_file_read(path, &raw, &err) != IA_OK ||
        ia_adapt(xml ? IA_SOURCE_WDA_XML : IA_SOURCE_AXE, ia_buf_str(&raw), &t, &err) !=
            IA_OK) {
        fprintf(stderr, "bench_snapshot: %s: %s\n", path, err.msg);
        exit(1);
    }
    ia_buf_fini(&raw);
    return t;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct took {
    double cpu_us, wall_us;
};

static double median(double *took, int rounds)
{
    qsort(took, (size_t)rounds, sizeof(*took), by_size);
    return took[rounds / 2];
}

/* Medians from the tree to its text, in a session that has seen it before. */
static struct took time_us(const struct ia_tree *t, int rounds)
{
    double *took = ia_alloc((size_t)rounds * sizeof(*took));
    double *wall = ia_alloc((size_t)rounds * sizeof(*wall));
    struct ia_refs *refs = ia_refs_new();
    struct ia_buf text = IA_BUF(1 << 20);
    for (int r = 0; r < rounds; r++) {
        int64_t wall_start = ia_mono_us(ia_clock_system());
        int64_t start = ia_thread_cpu_us();
        for (int k = 0; k < BATCH; k++) {
            ia_buf_reset(&text);
            struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
            ia_snapshot_text(s, 0, &text);
            ia_snapshot_free(s);
        }
        took[r] = (double)(ia_thread_cpu_us() - start) / BATCH;
        wall[r] = (double)(ia_mono_us(ia_clock_system()) - wall_start) / BATCH;
    }
    struct took medians = {median(took, rounds), median(wall, rounds)};
    ia_buf_fini(&text);
    ia_refs_free(refs);
    free(took);
    free(wall);
    return medians;
}

static void show(const char *path)
{
    struct ia_tree *t = load(path);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_buf line = IA_BUF(1 << 22);
    struct ia_jsonw w;
    ia_snapshot_text(s, 0, &text);
    ia_jsonw_init(&w, &line);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "tree", path);
    ia_jsonw_kv_int(&w, "nodes", (int64_t)ia_tree_count(t));
    struct took took = time_us(t, ROUNDS);
    ia_jsonw_kv_real(&w, "us", took.cpu_us);
    ia_jsonw_kv_real(&w, "wall_us", took.wall_us);
    ia_jsonw_kv(&w, "text", ia_buf_cstr(&text));
    ia_jsonw_key(&w, "snapshot");
    ia_snapshot_json(s, 0, ia_str(""), &w);
    ia_jsonw_end_object(&w);
    puts(ia_buf_cstr(&line));
    ia_buf_fini(&line);
    ia_buf_fini(&text);
    ia_snapshot_free(s);
    ia_refs_free(refs);
    ia_tree_free(t);
}

static const char *copy_text(struct ia_tree *t, const char *s)
{
    return s ? ia_tree_text(t, s, strlen(s)) : NULL;
}

/* Copies a subtree, moved down by dy. */
static void copy(struct ia_tree *t, struct ia_node *parent, const struct ia_node *n, double dy)
{
    struct ia_rect r = n->frame;
    r.y += dy;
    struct ia_node *c = ia_tree_add(t, parent, (enum ia_eltype)n->type, r);
    if (!c) {
        return;
    }
    c->flags = n->flags;
    c->label = copy_text(t, n->label);
    c->value = copy_text(t, n->value);
    c->identifier = copy_text(t, n->identifier);
    for (const struct ia_node *k = n->first_child; k; k = k->next) {
        copy(t, c, k, dy);
    }
}

/* The screen n times in one tree, each copy dy points below the one before. */
static struct ia_tree *times(const struct ia_tree *one, int n, double dy)
{
    struct ia_tree *t = ia_tree_new();
    const struct ia_node *root = ia_tree_root(one);
    struct ia_node *top = ia_tree_add(t, NULL, IA_EL_APPLICATION, root->frame);
    for (int i = 0; i < n; i++) {
        for (const struct ia_node *k = root->first_child; k; k = k->next) {
            copy(t, top, k, i * dy);
        }
    }
    return t;
}

static void show_series(const char *name, const struct ia_tree *one, double dy)
{
    static const int nodes[] = {60, 600, 1400, 2900, 5050};
    printf("\"%s\":[", name);
    for (size_t i = 0; i < IA_COUNTOF(nodes); i++) {
        struct ia_tree *t = times(one, nodes[i] / (int)ia_tree_count(one) + 1, dy);
        struct took took = time_us(t, 21);
        printf("%s{\"nodes\":%zu,\"us\":%.1f,\"wall_us\":%.1f}", i ? "," : "", ia_tree_count(t),
               took.cpu_us, took.wall_us);
        ia_tree_free(t);
    }
    printf("],");
}

/* A long screen, and the worst case: screens that lie over each other. */
static void show_growth(const char *path)
{
    enum { LONG_PT = 2100, PILED_PT = 40 };
    struct ia_tree *one = load(path);
    printf("{");
    show_series("long", one, LONG_PT);
    show_series("piled", one, PILED_PT);
    ia_tree_free(one);
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    printf("\"peak_kb\":%ld}\n", (long)u.ru_maxrss);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_snapshot GROWING_TREE TREE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        show(argv[i]);
    }
    show_growth(argv[1]);
    return 0;
}
