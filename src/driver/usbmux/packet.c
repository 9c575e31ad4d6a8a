/* packet.c: requests to usbmuxd as bytes, and what its answers say. */
#include "driver/usbmux/impl.h"

#include "base/xml.h"
#include "json/json.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, MESSAGE_PLIST = 8, DASH_AT = 8, SHORT_DIGITS = 24, LONG_DIGITS = 40 };

/* ---- UDIDs ------------------------------------------------------------------------------ */

bool ia_usbmux_udid(const char *text, char ret[IA_USBMUX_UDID_SIZE])
{
    char digits[LONG_DIGITS + 1];
    size_t n = 0;
    bool dash = strnlen(text, DASH_AT + 1) > DASH_AT && text[DASH_AT] == '-';
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (dash && i == DASH_AT) {
            continue;
        }
        if (!isxdigit((unsigned char)text[i]) || n == LONG_DIGITS) {
            return false;
        }
        digits[n++] = text[i];
    }
    digits[n] = '\0';
    if (n != SHORT_DIGITS && (n != LONG_DIGITS || dash)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)digits[i];
        digits[i] = (char)(n == SHORT_DIGITS ? toupper(c) : tolower(c));
    }
    (void)snprintf(ret, IA_USBMUX_UDID_SIZE, "%.*s%s%s", DASH_AT, digits,
                   n == SHORT_DIGITS ? "-" : "", digits + DASH_AT);
    return true;
}

/* ---- requests --------------------------------------------------------------------------- */

static void put_u32(struct ia_buf *out, uint32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
                              (uint8_t)(v >> 24)};
    ia_buf_put(out, bytes, sizeof(bytes));
}

static void put_string(struct ia_buf *xml, const char *key, const char *s)
{
    ia_buf_printf(xml, "<key>%s</key><string>", key);
    ia_xml_escape(xml, ia_str(s));
    ia_buf_puts(xml, "</string>");
}

static void put_plist(struct ia_buf *xml, const struct ia_usbmux_request *q)
{
    ia_buf_puts(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                     "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                     "<plist version=\"1.0\"><dict>");
    put_string(xml, "MessageType", q->type);
    put_string(xml, "ProgName", "ios-agent");
    put_string(xml, "ClientVersionString", "ios-agent");
    ia_buf_puts(xml, "<key>kLibUSBMuxVersion</key><integer>3</integer>");
    if (q->record_id) {
        put_string(xml, "PairRecordID", q->record_id);
    }
    if (q->device != 0) {
        /* The port as it lies in memory in network order, read as a number of this machine. */
        ia_buf_printf(xml,
                      "<key>DeviceID</key><integer>%u</integer>"
                      "<key>PortNumber</key><integer>%u</integer>",
                      (unsigned)q->device, (unsigned)htons(q->port));
    }
    ia_buf_puts(xml, "</dict></plist>\n");
}

void ia_usbmux_put(struct ia_buf *out, uint32_t tag, const struct ia_usbmux_request *q)
{
    struct ia_buf xml = IA_BUF(IA_USBMUX_REQUEST_MAX);
    put_plist(&xml, q);
    put_u32(out, (uint32_t)(IA_USBMUX_HEADER_BYTES + xml.len));
    put_u32(out, VERSION);
    put_u32(out, MESSAGE_PLIST);
    put_u32(out, tag);
    ia_buf_putstr(out, ia_buf_str(&xml));
    out->failed = out->failed || !ia_buf_ok(&xml);
    ia_buf_fini(&xml);
}

/* ---- answers ---------------------------------------------------------------------------- */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

enum ia_rc ia_usbmux_header(const uint8_t header[IA_USBMUX_HEADER_BYTES], uint32_t tag,
                            size_t *ret_left, struct ia_err *err)
{
    uint32_t length = get_u32(header), version = get_u32(header + 4);
    uint32_t message = get_u32(header + 8), tag_seen = get_u32(header + 12);
    if (version != VERSION || message != MESSAGE_PLIST) {
        return ia_err_set(err, IA_E_PROTO,
                          "it answers with message %u of version %u instead of 8 of 1",
                          (unsigned)message, (unsigned)version);
    }
    if (length <= IA_USBMUX_HEADER_BYTES || length > IA_USBMUX_ANSWER_MAX) {
        return ia_err_set(err, IA_E_PROTO, "it announces an answer of %u bytes",
                          (unsigned)length);
    }
    if (tag_seen != tag) {
        return ia_err_set(err, IA_E_PROTO, "it answers request %u instead of %u",
                          (unsigned)tag_seen, (unsigned)tag);
    }
    *ret_left = length - IA_USBMUX_HEADER_BYTES;
    return IA_OK;
}

int ia_usbmux_result(const json_t *answer)
{
    const json_t *number = json_object_get(answer, "Number");
    json_int_t v = json_integer_value(number);
    bool result = strcmp(ia_json_text(answer, "MessageType"), "Result") == 0;
    return result && json_is_integer(number) && v >= 0 && v <= INT32_MAX ? (int)v : -1;
}

static bool read_device(const json_t *entry, struct ia_usbmux_phone *ret)
{
    const json_t *of = json_object_get(entry, "Properties");
    json_int_t id = json_integer_value(json_object_get(entry, "DeviceID"));
    struct ia_usbmux_phone p = {.id = (uint32_t)id};
    if (id <= 0 || id > UINT32_MAX ||
        !ia_json_copy(of, "SerialNumber", p.serial, sizeof(p.serial)) ||
        !ia_usbmux_udid(p.serial, p.udid)) {
        return false;
    }
    p.network = strcmp(ia_json_text(of, "ConnectionType"), "Network") == 0;
    *ret = p;
    return true;
}

/* Twice the same device: the cable is the better way to it. */
static void add_device(struct ia_usbmux_phones *all, const struct ia_usbmux_phone *p)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->phones[i].udid, p->udid) != 0) {
        i++;
    }
    if (i == IA_USBMUX_PHONES_MAX || (i < all->count && !all->phones[i].network)) {
        return;
    }
    all->phones[i] = *p;
    all->count += i == all->count;
}

enum ia_rc ia_usbmux_devices(const json_t *answer, struct ia_usbmux_phones *ret,
                             struct ia_err *err)
{
    const json_t *list = json_object_get(answer, "DeviceList");
    const json_t *entry;
    struct ia_usbmux_phone phone;
    size_t i;
    if (!json_is_array(list)) {
        return ia_err_set(err, IA_E_PROTO, "it answers ListDevices without a list");
    }
    *ret = (struct ia_usbmux_phones){.count = 0};
    json_array_foreach(list, i, entry)
    {
        if (read_device(entry, &phone)) {
            add_device(ret, &phone);
        }
    }
    return IA_OK;
}
