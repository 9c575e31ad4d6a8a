/* FoundationMore.h: what sdk/IOSAgent.h uses of Foundation beyond tests/objc/apple, as Apple declares it. */
#ifndef IA_TESTS_SDK_FOUNDATION_MORE_H
#define IA_TESTS_SDK_FOUNDATION_MORE_H

NS_ASSUME_NONNULL_BEGIN

typedef NSUInteger NSStringEncoding;
enum { NSUTF8StringEncoding = 4 };

#if defined(__cplusplus)
extern "C" {
#endif
void NSLog(NSString *format, ...) NS_FORMAT(1, 2);
NSString *NSStringFromClass(Class aClass);
#if defined(__cplusplus)
}
#endif

@interface NSObject (More)
- (Class)class;
- (void)performSelector:(SEL)selector
             withObject:(nullable id)argument
             afterDelay:(NSTimeInterval)delay
                inModes:(NSArray<NSRunLoopMode> *)modes;
@end

@interface NSString (More)
+ (instancetype)string;
+ (instancetype)stringWithString:(NSString *)text;
- (nullable NSData *)dataUsingEncoding:(NSStringEncoding)encoding;
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)encoding;
- (NSString *)substringWithRange:(NSRange)range;
- (NSString *)substringFromIndex:(NSUInteger)from;
- (NSString *)substringToIndex:(NSUInteger)to;
- (NSString *)stringByAppendingString:(NSString *)text;
- (BOOL)hasPrefix:(NSString *)prefix;
- (NSRange)rangeOfString:(NSString *)text;
- (NSRange)rangeOfString:(NSString *)text options:(NSStringCompareOptions)mask;
- (NSComparisonResult)compare:(NSString *)text;
@end

@interface NSMutableString (More)
- (void)appendString:(NSString *)text;
- (void)appendFormat:(NSString *)format, ... NS_FORMAT(1, 2);
@end

@interface NSArray <T>(More)
+ (instancetype)arrayWithObject:(T)object;
@property(nullable, nonatomic, readonly) T firstObject;
- (NSArray<T> *)sortedArrayUsingSelector:(SEL)comparator;
@end

@interface NSSet<__covariant T> : NSObject <NSCopying, NSFastEnumeration>
+ (instancetype)set;
@end
@interface NSMutableSet<T> : NSSet <T>
- (void)addObject:(T)object;
@end
@interface NSCountedSet<T> : NSMutableSet <T>
- (NSUInteger)countForObject:(T)object;
@end

@interface NSDictionary <K, V>(More)
+ (instancetype)dictionaryWithDictionary:(NSDictionary<K, V> *)other;
@property(readonly, copy) NSArray<K> *allKeys;
- (nullable V)objectForKey:(K)key;
@end
@interface NSMutableDictionary <K, V>(More)
- (void)removeObjectForKey:(K)key;
@end

@interface NSIndexPath : NSObject <NSCopying>
- (NSUInteger)indexAtPosition:(NSUInteger)position;
@end

#if defined(__cplusplus)
extern "C" {
#endif
void *_Block_copy(const void *block);
void _Block_release(const void *block);
#if defined(__cplusplus)
}
#endif

NS_ASSUME_NONNULL_END

#define Block_copy(...) ((__typeof(__VA_ARGS__))_Block_copy((const void *)(__VA_ARGS__)))
#define Block_release(...) _Block_release((const void *)(__VA_ARGS__))

#endif
