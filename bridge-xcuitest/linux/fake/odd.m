/* odd.m: a string that has no UTF-8: it overrides the primitives of NSString and refuses the
 * conversion. */
#import "fake/odd.h"

static const unichar odd[] = {'a', 0xd83d, 0xdc69, 0xd83d, 'z'};

@implementation FKOddString

- (NSUInteger)length
{
    return sizeof(odd) / sizeof(odd[0]);
}

- (unichar)characterAtIndex:(NSUInteger)index
{
    return odd[index];
}

- (const char *)UTF8String
{
    return NULL;
}

- (id)copyWithZone:(NSZone *)zone
{
    (void)zone;
    return [self retain];
}

@end
