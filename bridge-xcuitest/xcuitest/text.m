/* text.m: NSString and UTF-8. */
#import "agent.h"

#include <string.h>

/* A string with half a surrogate pair has no UTF-8; the loss of it is better than that of all.
 */
static const char *lossy(NSString *text)
{
    NSMutableData *data = [NSMutableData
        dataWithData:[text dataUsingEncoding:NSUTF8StringEncoding allowLossyConversion:YES]];
    [data appendBytes:"" length:1];
    return [data bytes];
}

const char *ia_xc_utf8(id text)
{
    if (text == nil) {
        return "";
    }
    NSString *s = [text isKindOfClass:[NSString class]] ? text : [text description];
    const char *utf8 = [s UTF8String];
    return utf8 != NULL ? utf8 : lossy(s);
}

const char *ia_xc_keep(struct ia_xc_op *op, id text, size_t max)
{
    const char *utf8 = ia_xc_utf8(text);
    return *utf8 == '\0' ? NULL : ia_wire_text(&op->reply->arena, utf8, strlen(utf8), max);
}

NSString *ia_xc_string(const char *utf8)
{
    NSString *s = utf8 != NULL ? [NSString stringWithUTF8String:utf8] : nil;
    return s != nil ? s : @"";
}

uint32_t ia_xc_characters(const char *utf8)
{
    uint32_t n = 0;
    for (const char *p = utf8; *p != '\0'; p++) {
        n += ((unsigned char)*p & 0xc0) != 0x80;
    }
    return n;
}
