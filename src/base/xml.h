/* xml.h: text inside markup: XML, HTML, property lists. */
#ifndef IA_BASE_XML_H
#define IA_BASE_XML_H

#include "base/buf.h"

/* "&amp;" for '&', likewise for '<', '>' and '"'; NULL for every other character. */
const char *ia_xml_entity(char c);
/* Appends text with those four replaced, for content and for attributes in double quotes. */
void ia_xml_escape(struct ia_buf *out, struct ia_str text);

#endif
