/* bench_wda_select.c: searches a screen of 500 elements as WebDriverAgent's clients do. Prints one JSON line for
 * each strategy, {"using","value","found","us"}; us is the median CPU time from the tree to the list. The first
 * line is the screen alone, with which every search begins. */
#include "base/clock.h"
#include "server/wda/select/find.h"
#include "wda_trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 500, ROUNDS = 301 };

static const struct {
    const char *using, *value;
} rows[] = {
    {"", ""},
    {"accessibility id", "Row 99"},
    {"class name", "XCUIElementTypeSwitch"},
    {"link text", "label=Row 99"},
    {"predicate string", "name == 'Row 99'"},
    {"predicate string", "type == 'XCUIElementTypeSwitch' AND value == '1' AND visible == 1"},
    {"predicate string", "label CONTAINS[cd] 'ROW 99'"},
    {"predicate string", "label MATCHES 'Row [0-9]9'"},
    {"class chain", "**/XCUIElementTypeCell[`label == 'Row 99'`]/XCUIElementTypeSwitch"},
    {"class chain", "**/XCUIElementTypeCell[$value == '1'$][-1]"},
    {"xpath", "//XCUIElementTypeCell[@label='Row 99']/XCUIElementTypeSwitch"},
    {"xpath", "//*[contains(@label, '99') and @visible='true']"},
    {"xpath", "//*[matches(@label, 'row 9+', 'i')]"},
    {"xpath", "//*[@*='Row 99']"},
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int search(const struct ia_tree *tree, const char *using, const char *value)
{
    struct ia_wda_screen *s = ia_wda_screen_new(tree);
    struct ia_wda_nodes list = {0};
    struct ia_err err;
    if (using[0] &&
        ia_wda_find(s, 0, ia_str(using), ia_str(value), false, &list, &err) != IA_OK) {
        fprintf(stderr, "bench_wda_select: %s\n", err.msg);
        exit(1);
    }
    int n = list.n;
    ia_wda_nodes_fini(&list);
    ia_wda_screen_free(s);
    return n;
}

int main(void)
{
    struct ia_tree *tree = long_tree(NODES);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        double took[ROUNDS];
        int found = 0;
        for (int r = 0; r < ROUNDS; r++) {
            int64_t start = ia_thread_cpu_us();
            for (int k = 0; k < 5; k++) {
                found = search(tree, rows[i].using, rows[i].value);
            }
            took[r] = (double)(ia_thread_cpu_us() - start) / 5;
        }
        qsort(took, ROUNDS, sizeof(took[0]), by_size);
        printf("{\"using\":\"%s\",\"value\":\"%s\",\"found\":%d,\"us\":%.1f}\n", rows[i].using,
               rows[i].value, found, took[ROUNDS / 2]);
    }
    ia_tree_free(tree);
    return 0;
}
