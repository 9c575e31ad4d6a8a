/* foundation.m: NSPredicate on dictionaries. Manual retain and release, as elsewhere. */
#include "foundation.h"

#import <Foundation/Foundation.h>

void *foundation_element(void)
{
    return [[NSMutableDictionary alloc] init];
}

static void set(void *element, const char *key, id value)
{
    [(NSMutableDictionary *)element setObject:value forKey:[NSString stringWithUTF8String:key]];
}

void foundation_set_text(void *element, const char *key, const char *value)
{
    @autoreleasepool {
        set(element, key, [NSString stringWithUTF8String:value]);
    }
}

void foundation_set_number(void *element, const char *key, double value, bool truth)
{
    @autoreleasepool {
        set(element, key,
            truth ? [NSNumber numberWithBool:value != 0] : [NSNumber numberWithDouble:value]);
    }
}

static NSMutableDictionary *pair(const char *first, double x, const char *second, double y)
{
    NSMutableDictionary *pair = [NSMutableDictionary dictionary];
    foundation_set_number(pair, first, x, false);
    foundation_set_number(pair, second, y, false);
    return pair;
}

void foundation_set_rect(void *element, const char *key, double x, double y, double w, double h)
{
    @autoreleasepool {
        NSMutableDictionary *rect = pair("x", x, "y", y);
        [rect addEntriesFromDictionary:pair("width", w, "height", h)];
        set(rect, "origin", pair("x", x, "y", y));
        set(rect, "size", pair("width", w, "height", h));
        set(element, key, rect);
    }
}

bool foundation_is_gnustep(void)
{
#ifdef GNUSTEP
    return true;
#else
    return false;
#endif
}

bool foundation_holds(const char *predicate, void *const *elements, int n, bool *ret)
{
    @autoreleasepool {
        @try {
            NSString *format = [NSString stringWithUTF8String:predicate];
            NSPredicate *p = [NSPredicate predicateWithFormat:format
                                                argumentArray:[NSArray array]];
            for (int i = 0; i < n; i++) {
                ret[i] = [p evaluateWithObject:(id)elements[i]];
            }
            return true;
        } @catch (NSException *e) {
            return false;
        }
    }
}
