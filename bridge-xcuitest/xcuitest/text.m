/* text.m: conversion between NSString and UTF-8. An accessibility label may contain anything,
 * also strings that have no UTF-8, and must neither be lost nor end the request. */
#import "agent.h"

#include <string.h>

static bool is_high(unichar c)
{
    return c >= 0xd800 && c < 0xdc00;
}

static bool is_low(unichar c)
{
    return c >= 0xdc00 && c < 0xe000;
}

static void put_character(NSMutableData *to, uint32_t c)
{
    uint8_t b[4];
    NSUInteger n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (NSUInteger i = n; i > 1; i--) {
        b[i - 1] = (uint8_t)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    b[0] = (uint8_t)(first[n] | c);
    [to appendBytes:b length:n];
}

/* A string with half a surrogate pair has no UTF-8. Losing that half (U+FFFD) is better than
 * losing the whole string. */
static const char *lossy_utf8(NSString *text)
{
    NSMutableData *data = [NSMutableData data];
    NSUInteger n = [text length];
    for (NSUInteger i = 0; i < n; i++) {
        unichar c = [text characterAtIndex:i];
        unichar next = i + 1 < n ? [text characterAtIndex:i + 1] : 0;
        if (is_high(c) && is_low(next)) {
            put_character(data, 0x10000 + (((uint32_t)c - 0xd800) << 10) + (next - 0xdc00u));
            i++;
        } else {
            put_character(data, is_high(c) || is_low(c) ? 0xfffd : c);
        }
    }
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
    return utf8 != NULL ? utf8 : lossy_utf8(s);
}

const char *ia_xc_arena_text(struct ia_xc_op *op, id text, size_t max)
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
