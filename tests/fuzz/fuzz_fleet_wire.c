/* What comes from a NATS server: orders, proposals, rows of workers and of the leader, its INFO line; and the bundle of a
 * run. The first byte chooses the parser. What is read of an order or a bundle is used as its reader would use it. */
#include <stdlib.h>
#include <string.h>

#include "app/run_bundle.h"
#include "fleet/ask.h"
#include "fleet/message.h"
#include "fleet/server_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An order that is read is written as it was read. */
static void order(struct ia_str text)
{
    struct ia_fleet_order first, second;
    struct ia_buf again = IA_BUF(4 << 20);
    char *texts = NULL, *again_texts = NULL;
    if (ia_fleet_order_read(text, &first, &texts, NULL) != IA_OK) {
        return;
    }
    ia_fleet_order_write(&first, &again);
    if (ia_fleet_order_read(ia_buf_str(&again), &second, &again_texts, NULL) != IA_OK ||
        !ia_str_eq(first.job, second.job) || !ia_str_eq(first.recording, second.recording) ||
        strcmp(first.class_key, second.class_key) != 0 || !ia_fleet_class_ok(first.class_key)) {
        abort();
    }
    free(again_texts);
    free(texts);
    ia_buf_fini(&again);
}

/* Nothing is true that nobody signed. */
static void proposal(struct ia_str text)
{
    struct ia_fleet_proposal p;
    const struct ia_fleet_key key = {{7}};
    char code[IA_SHA256_HEX_SIZE];
    if (ia_fleet_proposal_read(text, &p, code, NULL) != IA_OK) {
        return;
    }
    if (!ia_fleet_url_ok(p.url) || !ia_fleet_name_ok(p.worker) ||
        ia_fleet_proposal_true(&p, code, &key)) {
        abort();
    }
}

static void bundle(struct ia_str text)
{
    struct ia_run_bundle *b = NULL;
    const char(*blobs)[IA_SHA256_HEX_SIZE];
    if (ia_run_bundle_read(text, "run", &b, NULL) != IA_OK) {
        return;
    }
    size_t n = ia_run_bundle_blobs(b, &blobs);
    for (size_t i = 0; i < n; i++) {
        if (!ia_sha256_hex_ok(ia_str(blobs[i]))) {
            abort();
        }
    }
    ia_run_bundle_set_recording(b, "");
    (void)ia_run_bundle_usage(b);
    (void)ia_run_bundle_code(b);
    ia_run_bundle_free(b);
}

static void rows(const char *text)
{
    struct ia_fleet_worker w;
    struct ia_fleet_lane lanes[IA_FLEET_LANES_SHOWN];
    struct ia_fleet_leader leader;
    if (ia_fleet_worker_read("mac-1", text, &w) && (w.lanes < 0 || w.busy < 0)) {
        abort();
    }
    if (ia_fleet_lanes_read(text, lanes) > IA_FLEET_LANES_SHOWN) {
        abort();
    }
    (void)ia_fleet_leader_parse(ia_str(text), &leader);
}

/* Asks, answers and values. */
static void ask(struct ia_str text)
{
    struct ia_fleet_ask a;
    const struct ia_fleet_key key = {{7}};
    const unsigned char secret[IA_FLEET_PUBLIC_SIZE] = {9};
    char code[IA_SHA256_HEX_SIZE];
    struct ia_buf out = IA_BUF(IA_FLEET_VALUES_MAX);
    struct ia_str rest = text, name, value;
    bool read = ia_fleet_ask_read(text, &a, code, NULL) == IA_OK;
    if ((read && ia_fleet_ask_true(&a, code, &key)) ||
        ia_fleet_answer_read(text, &a, secret, &key, &out)) {
        abort();
    }
    while (ia_fleet_values_next(&rest, &name, &value)) {
        char *word = ia_strndup(name.p, name.n);
        if (value.p + value.n > text.p + text.n || !ia_fleet_names(word, word)) {
            abort();
        }
        free(word);
    }
    ia_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *copy = ia_strndup((const char *)data + 1, size - 1);
    struct ia_str text = {copy, size - 1};
    switch (data[0] % 6) {
    case 0:
        order(text);
        break;
    case 1:
        proposal(text);
        break;
    case 2:
        bundle(text);
        break;
    case 3:
        rows(copy);
        break;
    case 5:
        ask(text);
        break;
    default:
        (void)ia_server_judge(text, "2.10.23", NULL);
        (void)ia_server_is_local(copy);
        break;
    }
    free(copy);
    return 0;
}
