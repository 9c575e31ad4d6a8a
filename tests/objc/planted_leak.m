/* planted_leak.m: an operation with a leak, which proves that the checks find one: the analyzer
 * with the settings of Apple's runtime, and the leak checker, for which this is a program with
 * a main. */
#import <Foundation/Foundation.h>

static NSUInteger operation(int n)
{
    NSMutableString *text = [[NSMutableString alloc] initWithFormat:@"never released %d", n];
    return [text length];
}

int main(void)
{
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    NSUInteger n = operation(7);
    [pool drain];
    return n > 0 ? 0 : 1;
}
