/* property_test.c: random messages of every kind survive encoding and decoding; truncated and
 * corrupted ones are refused or decoded, never worse. */
#include "hex.h"
#include "random.h"

enum { ROUNDS = 300 };

static void free_items(struct ia_wire_request *r)
{
    for (uint32_t i = 0; r->op == IA_WIRE_OP_BATCH && i < r->u.batch.items_n; i++) {
        ia_wire_request_fini((struct ia_wire_request *)&r->u.batch.items[i]);
    }
    ia_wire_request_fini(r);
}

static void free_reply_items(struct ia_wire_reply *r)
{
    for (uint32_t i = 0; r->op == IA_WIRE_OP_BATCH && i < r->u.batch.items_n; i++) {
        ia_wire_reply_fini((struct ia_wire_reply *)&r->u.batch.items[i]);
    }
    ia_wire_reply_fini(r);
}

static struct ia_wire_frame frame_of(const struct ia_wire_buf *b)
{
    return (struct ia_wire_frame){.op = b->p[4], .p = b->p + 5, .n = b->len - 5};
}

static void requests_survive_encoding_and_decoding(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        for (int k = 0; k < ROUNDS; k++) {
            struct ia_wire_request r, back;
            struct ia_wire_buf out = {0}, again = {0};
            struct ia_wire_fault fault = {0};
            wire_random_request(&r, op, &seed);
            if (!ia_wire_put_request(&out, &r, &fault)) {
                fail_msg("%s: %s", op->name, fault.text);
            }
            struct ia_wire_frame f = frame_of(&out);
            if (!ia_wire_get_request(&f, &back, &fault)) {
                fail_msg("%s: %s", op->name, fault.text);
            }
            assert_true(ia_wire_request_eq(&r, &back));
            assert_true(ia_wire_put_request(&again, &back, NULL));
            assert_int_equal(out.len, again.len);
            assert_memory_equal(out.p, again.p, out.len);
            ia_wire_buf_fini(&out);
            ia_wire_buf_fini(&again);
            ia_wire_request_fini(&back);
            free_items(&r);
        }
    }
}

static void replies_survive_encoding_and_decoding(void **state)
{
    (void)state;
    uint64_t seed = 2;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        for (int k = 0; op->reply && k < ROUNDS; k++) {
            struct ia_wire_reply r, back;
            struct ia_wire_buf out = {0}, again = {0};
            struct ia_wire_fault fault = {0};
            wire_random_reply(&r, op, &seed);
            if (!ia_wire_put_reply(&out, &r, &fault)) {
                fail_msg("%s: %s", op->name, fault.text);
            }
            struct ia_wire_frame f = frame_of(&out);
            if (!ia_wire_get_reply(&f, &back, &fault)) {
                fail_msg("%s: %s", op->name, fault.text);
            }
            assert_true(ia_wire_reply_eq(&r, &back));
            assert_true(ia_wire_put_reply(&again, &back, NULL));
            assert_int_equal(out.len, again.len);
            assert_memory_equal(out.p, again.p, out.len);
            ia_wire_buf_fini(&out);
            ia_wire_buf_fini(&again);
            ia_wire_reply_fini(&back);
            free_reply_items(&r);
        }
    }
}

static void a_change_of_any_field_makes_messages_differ(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        if (op->request->fields_n == 0) {
            continue;
        }
        bool differed = false;
        for (int k = 0; k < 50 && !differed; k++) {
            struct ia_wire_request a, b;
            wire_random_request(&a, op, &seed);
            wire_random_request(&b, op, &seed);
            b.id = a.id;
            b.deadline_ms = a.deadline_ms;
            differed = !ia_wire_request_eq(&a, &b);
            free_items(&a);
            free_items(&b);
        }
        assert_true(differed);
    }
}

/* Every truncated frame is refused, except classic requests whose timeout may be missing. */
static void truncated_messages_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 4;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        struct ia_wire_request r, back;
        struct ia_wire_buf out = {0};
        wire_random_request(&r, op, &seed);
        assert_true(ia_wire_put_request(&out, &r, NULL));
        for (size_t n = 0; n + 5 < out.len; n++) {
            struct ia_wire_frame f = frame_of(&out);
            f.n = n;
            struct ia_wire_fault fault = {0};
            if (ia_wire_get_request(&f, &back, &fault)) {
                assert_true(
                    op->op == IA_WIRE_OP_TAP_ELEMENT || op->op == IA_WIRE_OP_TAP_BY_LABEL ||
                    op->op == IA_WIRE_OP_TAP_WITH_TYPE || op->op == IA_WIRE_OP_GET_VALUE);
                ia_wire_request_fini(&back);
            } else {
                assert_int_not_equal(fault.code, IA_WIRE_OK);
                assert_int_not_equal(fault.text[0], 0);
            }
        }
        ia_wire_buf_fini(&out);
        free_items(&r);
    }
}

static void corrupted_messages_do_no_harm(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        for (int k = 0; op->reply && k < ROUNDS; k++) {
            struct ia_wire_reply r, back;
            struct ia_wire_buf out = {0};
            wire_random_reply(&r, op, &seed);
            assert_true(ia_wire_put_reply(&out, &r, NULL));
            for (int bends = 0; bends < 3; bends++) {
                size_t at = 5 + wire_random(&seed) % (out.len - 5);
                out.p[at] = (uint8_t)wire_random(&seed);
            }
            struct ia_wire_frame f = frame_of(&out);
            if (ia_wire_get_reply(&f, &back, NULL)) {
                ia_wire_reply_fini(&back);
            }
            ia_wire_buf_fini(&out);
            free_reply_items(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_survive_encoding_and_decoding),
        cmocka_unit_test(replies_survive_encoding_and_decoding),
        cmocka_unit_test(a_change_of_any_field_makes_messages_differ),
        cmocka_unit_test(truncated_messages_are_refused),
        cmocka_unit_test(corrupted_messages_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
