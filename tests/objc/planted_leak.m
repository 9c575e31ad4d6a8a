/* planted_leak.m: an operation with a leak, for the checks that must find it: the analyzer with
 * Apple's runtime, and the leak checker when it runs (as a program of its own, with main). */
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
