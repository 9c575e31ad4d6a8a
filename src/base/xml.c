/* xml.c: the characters that would end a text or an attribute. */
#include "base/xml.h"

const char *ia_xml_entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void ia_xml_escape(struct ia_buf *out, struct ia_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char *entity = ia_xml_entity(text.p[i]);
        if (entity) {
            ia_buf_puts(out, entity);
        } else {
            ia_buf_putc(out, text.p[i]);
        }
    }
}
