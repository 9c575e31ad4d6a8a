#include "test.h"

#include "base/buf.h"
#include "driver/usbmux/impl.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW "00008110-000A1B2C3D4E5F60"
#define OLD "0123456789abcdef0123456789abcdef01234567"

static json_t *json(const char *text)
{
    json_t *doc = json_loads(text, 0, NULL);
    assert_non_null(doc);
    return doc;
}

static void a_udid_is_written_in_one_way(void **state)
{
    (void)state;
    static const struct {
        const char *text, *udid; /* NULL: it is none */
    } rows[] = {
        {NEW, NEW},
        {"00008110-000a1b2c3d4e5f60", NEW},
        {"00008110000A1B2C3D4E5F60", NEW},
        {OLD, OLD},
        {"0123456789ABCDEF0123456789ABCDEF01234567", OLD},
        {"", NULL},
        {"-", NULL},
        {"00008110", NULL},
        {"00008110-", NULL},
        {"00008110-000A1B2C3D4E5F6", NULL},
        {"00008110-000A1B2C3D4E5F600", NULL},
        {"0000811-0000A1B2C3D4E5F60", NULL},
        {"00008110-000A1B2C-3D4E5F60", NULL},
        {"00008110_000A1B2C3D4E5F60", NULL},
        {"00008110-000A1B2C3D4E5F6G", NULL},
        {"01234567-89abcdef0123456789abcdef01234567", NULL},
        {"0123456789abcdef0123456789abcdef012345678", NULL},
        {"5A1B2C3D-0000-4000-8000-00000000ABCD", NULL}, /* a simulator's */
        {"127.0.0.1:8100", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char udid[IA_USBMUX_UDID_SIZE] = "untouched";
        bool good = ia_usbmux_udid(rows[i].text, udid);
        assert_int_equal(good, rows[i].udid != NULL);
        assert_string_equal(udid, good ? rows[i].udid : "untouched");
    }
}

static void a_request_is_a_frame_with_a_property_list(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(IA_USBMUX_REQUEST_MAX);
    struct ia_usbmux_request q = {.type = "Connect", .device = 7, .port = 8100};
    ia_usbmux_put(&out, 0x01020304, &q);
    assert_true(ia_buf_ok(&out));
    const uint8_t *p = (const uint8_t *)out.p;
    assert_int_equal(p[0] | p[1] << 8, out.len);
    assert_memory_equal(p + 2, "\0\0\1\0\0\0\10\0\0\0\4\3\2\1", 14);
    json_t *list = NULL;
    struct ia_str body = {out.p + IA_USBMUX_HEADER_BYTES, out.len - IA_USBMUX_HEADER_BYTES};
    assert_int_equal(ia_plist_read(body, &list, NULL), IA_OK);
    assert_string_equal(json_string_value(json_object_get(list, "MessageType")), "Connect");
    assert_int_equal(json_integer_value(json_object_get(list, "DeviceID")), 7);
    assert_int_equal(json_integer_value(json_object_get(list, "PortNumber")), htons(8100));
    assert_null(json_object_get(list, "PairRecordID"));
    json_decref(list);
    ia_buf_fini(&out);
}

static void what_is_written_into_a_request_is_escaped(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(IA_USBMUX_REQUEST_MAX);
    struct ia_usbmux_request q = {.type = "ReadPairRecord", .record_id = "</string>&\"<"};
    json_t *list = NULL;
    ia_usbmux_put(&out, 1, &q);
    struct ia_str body = {out.p + IA_USBMUX_HEADER_BYTES, out.len - IA_USBMUX_HEADER_BYTES};
    assert_int_equal(ia_plist_read(body, &list, NULL), IA_OK);
    assert_string_equal(json_string_value(json_object_get(list, "PairRecordID")),
                        "</string>&\"<");
    json_decref(list);
    ia_buf_fini(&out);
}

static void a_header_must_begin_the_answer_that_was_asked_for(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t left;
        const char *says; /* NULL: good */
    } rows[] = {
        {{17, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 1, NULL},
        {{0, 0, 16, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, (1 << 20) - 16, NULL},
        {{16, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 0, "16 bytes"},
        {{0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 0, "0 bytes"},
        {{1, 0, 16, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 0, "1048577 bytes"},
        {{255, 255, 255, 255, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 0, "4294967295 bytes"},
        {{17, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0}, 0, "version 0"},
        {{17, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0}, 0, "message 1"},
        {{17, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 6, 0, 0, 0}, 0, "request 6 instead of 5"},
        {"HTTP/1.1 400 Bad", 0, "version"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        size_t left = 12345;
        struct ia_err err = {.code = IA_OK};
        enum ia_rc rc = ia_usbmux_header(rows[i].bytes, 5, &left, &err);
        assert_int_equal(rc, rows[i].says ? IA_E_PROTO : IA_OK);
        assert_int_equal(left, rows[i].says ? 12345 : rows[i].left);
        assert_true(!rows[i].says || strstr(err.msg, rows[i].says));
    }
}

static void a_device_is_listed_once_and_by_cable(void **state)
{
    (void)state;
#define ENTRY(id, serial, by)                                                                  \
    "{\"DeviceID\":" #id                                                                       \
    ",\"MessageType\":\"Attached\",\"Properties\":{\"SerialNumber\":\"" serial                 \
    "\",\"ConnectionType\":\"" by "\"}}"
    static const struct {
        const char *list, *seen; /* "id serial udid by" */
    } rows[] = {
        {"[]", ""},
        {ENTRY(1, NEW, "USB"), "1 " NEW " " NEW " usb;"},
        {ENTRY(9, NEW, "Network") "," ENTRY(1, NEW, "USB"), "1 " NEW " " NEW " usb;"},
        {ENTRY(1, NEW, "USB") "," ENTRY(9, NEW, "Network"), "1 " NEW " " NEW " usb;"},
        {ENTRY(9, NEW, "Network"), "9 " NEW " " NEW " wifi;"},
        {ENTRY(3, "00008110000A1B2C3D4E5F60", "USB"),
         "3 00008110000A1B2C3D4E5F60 " NEW " usb;"},
        {ENTRY(1, NEW, "USB") "," ENTRY(2, OLD, "USB"),
         "1 " NEW " " NEW " usb;2 " OLD " " OLD " usb;"},
        {ENTRY(0, NEW, "USB"), ""},
        {ENTRY(-1, NEW, "USB"), ""},
        {ENTRY(4294967296, NEW, "USB"), ""},
        {ENTRY(1, "../../etc", "USB"), ""},
        {"1,null,\"x\",[],{},{\"DeviceID\":1},{\"DeviceID\":1,\"Properties\":5}", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_usbmux_phones all = {.count = 99};
        char text[1024], seen[512] = "";
        (void)snprintf(text, sizeof(text), "{\"DeviceList\":[%s]}",
                       strcmp(rows[i].list, "[]") == 0 ? "" : rows[i].list);
        json_t *answer = json(text);
        assert_int_equal(ia_usbmux_devices(answer, &all, NULL), IA_OK);
        for (size_t p = 0, at = 0; p < all.count; p++) {
            const struct ia_usbmux_phone *f = &all.phones[p];
            at += (size_t)snprintf(seen + at, sizeof(seen) - at, "%u %s %s %s;", f->id,
                                   f->serial, f->udid, f->network ? "wifi" : "usb");
        }
        assert_string_equal(seen, rows[i].seen);
        json_decref(answer);
    }
}

static void more_devices_than_there_is_room_for_are_left_out(void **state)
{
    (void)state;
    json_t *list = json_array();
    for (int i = 0; i < IA_USBMUX_PHONES_MAX + 10; i++) {
        char serial[48];
        (void)snprintf(serial, sizeof(serial), "%040x", (unsigned)i);
        json_array_append_new(list, json_pack("{s:i, s:{s:s}}", "DeviceID", i + 1, "Properties",
                                              "SerialNumber", serial));
    }
    json_t *answer = json_pack("{s:o}", "DeviceList", list);
    struct ia_usbmux_phones all;
    assert_int_equal(ia_usbmux_devices(answer, &all, NULL), IA_OK);
    assert_int_equal(all.count, IA_USBMUX_PHONES_MAX);
    json_decref(answer);
}

static void what_is_no_list_is_an_error(void **state)
{
    (void)state;
    static const char *const rows[] = {"{}", "[]", "{\"DeviceList\":{}}",
                                       "{\"MessageType\":\"Result\",\"Number\":6}"};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_usbmux_phones all = {.count = 99};
        json_t *answer = json(rows[i]);
        assert_int_equal(ia_usbmux_devices(answer, &all, NULL), IA_E_PROTO);
        assert_int_equal(all.count, 99);
        json_decref(answer);
    }
}

static void a_result_is_its_number(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int number;
    } rows[] = {
        {"{\"MessageType\":\"Result\",\"Number\":0}", 0},
        {"{\"MessageType\":\"Result\",\"Number\":3}", 3},
        {"{\"MessageType\":\"Result\",\"Number\":-3}", -1},
        {"{\"MessageType\":\"Result\",\"Number\":4294967296}", -1},
        {"{\"MessageType\":\"Result\",\"Number\":\"0\"}", -1},
        {"{\"MessageType\":\"Result\"}", -1},
        {"{\"Number\":0}", -1},
        {"{\"MessageType\":\"Attached\",\"Number\":0}", -1},
        {"[]", -1},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        json_t *answer = json(rows[i].text);
        assert_int_equal(ia_usbmux_result(answer), rows[i].number);
        json_decref(answer);
    }
}

/* ---- property lists --------------------------------------------------------------------- */

#define DOCTYPE                                                                                \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD "      \
    "PLIST "                                                                                   \
    "1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">"

static void a_property_list_becomes_json(void **state)
{
    (void)state;
    static const struct {
        const char *xml, *json; /* NULL: refused */
    } rows[] = {
        {"<plist><string>a&amp;b&#x20AC;</string></plist>", "\"a&b\u20ac\""},
        {DOCTYPE "<plist version=\"1.0\">\n<dict>\n <key>a</key><integer>-7</integer>\n"
                 "<key>b</key><true/><key>c</key><false/><key>d</key><array><real>1.5</real>"
                 "</array>\n</dict></plist>",
         "{\"a\": -7, \"b\": true, \"c\": false, \"d\": [1.5]}"},
        {"<plist><data>\n AQID\n</data></plist>", "\"\\n AQID\\n\""},
        {"<plist><date>2026-11-21T00:00:00Z</date></plist>", "\"2026-11-21T00:00:00Z\""},
        {"<plist><string></string></plist>", "\"\""},
        {"<plist><string/></plist>", "\"\""},
        {"<plist><dict/></plist>", "{}"},
        {"<plist><array/></plist>", "[]"},
        {"<plist><string><![CDATA[<x>]]></string></plist>", "\"<x>\""},
        {"<plist/>", NULL},
        {"<plist><string>a</string><string>b</string></plist>", NULL},
        {"<plist><dict><key>a</key></dict></plist>", NULL},
        {"<plist><dict><string>a</string><string>b</string></dict></plist>", NULL},
        {"<plist><dict><key>a</key><html/></dict></plist>", NULL},
        {"<plist><integer></integer></plist>", NULL},
        {"<plist><integer>7x</integer></plist>", NULL},
        {"<plist><integer>99999999999999999999</integer></plist>", NULL},
        {"<plist><real>nan</real></plist>", NULL},
        {"<plist><string>a<b/>c</string></plist>", NULL},
        {"<dict/>", NULL},
        {"", NULL},
        {"bplist00", NULL},
        {"<plist><string>cut", NULL},
        {"<!DOCTYPE plist [<!ENTITY e \"x\">]><plist><string>&e;</string></plist>", NULL},
        /* One that nobody uses, or only where nobody looks, is refused as well. */
        {"<!DOCTYPE plist [<!ENTITY e \"x\">]><plist><string>a</string></plist>", NULL},
        {"<!DOCTYPE plist [<!ENTITY e \"x\">]><plist version=\"&e;\"><true/></plist>", NULL},
        {"<!DOCTYPE plist [<!ENTITY e SYSTEM "
         "\"file:///etc/passwd\">]><plist><string>&e;</string>"
         "</plist>",
         NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        json_t *doc = NULL;
        enum ia_rc rc = ia_plist_read(ia_str(rows[i].xml), &doc, NULL);
        assert_int_equal(rc, rows[i].json ? IA_OK : IA_E_PROTO);
        char *text = doc ? json_dumps(doc, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
        if (rows[i].json) {
            assert_string_equal(text, rows[i].json);
        }
        free(text);
        json_decref(doc);
    }
}

static void a_property_list_may_be_sixteen_levels_deep(void **state)
{
    (void)state;
    for (int depth = 15; depth <= 17; depth++) {
        struct ia_buf xml = IA_BUF(4096);
        json_t *doc = NULL;
        ia_buf_puts(&xml, "<plist>");
        for (int i = 0; i < depth; i++) {
            ia_buf_puts(&xml, "<array>");
        }
        for (int i = 0; i < depth; i++) {
            ia_buf_puts(&xml, "</array>");
        }
        ia_buf_puts(&xml, "</plist>");
        assert_int_equal(ia_plist_read(ia_buf_str(&xml), &doc, NULL),
                         depth <= 16 ? IA_OK : IA_E_PROTO);
        json_decref(doc);
        ia_buf_fini(&xml);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_udid_is_written_in_one_way),
        cmocka_unit_test(a_request_is_a_frame_with_a_property_list),
        cmocka_unit_test(what_is_written_into_a_request_is_escaped),
        cmocka_unit_test(a_header_must_begin_the_answer_that_was_asked_for),
        cmocka_unit_test(a_device_is_listed_once_and_by_cable),
        cmocka_unit_test(more_devices_than_there_is_room_for_are_left_out),
        cmocka_unit_test(what_is_no_list_is_an_error),
        cmocka_unit_test(a_result_is_its_number),
        cmocka_unit_test(a_property_list_becomes_json),
        cmocka_unit_test(a_property_list_may_be_sixteen_levels_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
