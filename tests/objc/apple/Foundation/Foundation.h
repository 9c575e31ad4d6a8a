/* Foundation.h: the part of Foundation, CoreGraphics and UIKit that the bridge uses, as Apple
 * declares it. */
#ifndef IA_APPLE_FOUNDATION_H
#define IA_APPLE_FOUNDATION_H

#include <TargetConditionals.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_AVAILABLE_IOS(v) __attribute__((availability(ios, introduced = v)))
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_ENUM(type, name)                                                                    \
    enum __attribute__((enum_extensibility(open))) name : type name;                           \
    enum name : type
#define NS_OPTIONS(type, name)                                                                 \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type name;                \
    enum name : type
#define NS_FORMAT(a, b) __attribute__((format(__NSString__, a, b)))
#define NS_SENTINEL __attribute__((sentinel(0, 1)))

typedef signed char BOOL; /* bool on arm64; as a char it converts to nothing by accident */
#define YES __objc_yes
#define NO __objc_no
#define nil ((id)0)
typedef struct objc_class *Class;
typedef struct objc_object {
    Class _Nonnull isa;
} * id;
typedef struct objc_selector *SEL;

typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
#define NSIntegerMax __LONG_MAX__
enum { NSNotFound = NSIntegerMax };
typedef struct _NSRange {
    NSUInteger location, length;
} NSRange;
NSRange NSMakeRange(NSUInteger location, NSUInteger length);
typedef enum : NSInteger {
    NSOrderedAscending = -1L,
    NSOrderedSame,
    NSOrderedDescending
} NSComparisonResult;
typedef unsigned short unichar;

typedef double CGFloat;
typedef struct CGPoint {
    CGFloat x, y;
} CGPoint;
typedef struct CGSize {
    CGFloat width, height;
} CGSize;
typedef struct CGRect {
    CGPoint origin;
    CGSize size;
} CGRect;
typedef struct CGVector {
    CGFloat dx, dy;
} CGVector;
CGVector CGVectorMake(CGFloat dx, CGFloat dy);
CGRect CGRectMake(CGFloat x, CGFloat y, CGFloat width, CGFloat height);

NS_ASSUME_NONNULL_BEGIN

@class NSString, NSDate, NSInvocation;

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
- (BOOL)isKindOfClass:(Class)aClass;
- (BOOL)respondsToSelector:(SEL)selector;
- (instancetype)retain;
- (oneway void)release;
- (instancetype)autorelease;
@property(readonly, copy) NSString *description;
@end

@protocol NSCopying
@end
typedef struct {
    unsigned long state;
    id __unsafe_unretained _Nullable *_Nullable itemsPtr;
    unsigned long *_Nullable mutationsPtr;
    unsigned long extra[5];
} NSFastEnumerationState;
@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained _Nullable[_Nonnull])buffer
                                    count:(NSUInteger)count;
@end

__attribute__((objc_root_class))
@interface NSObject<NSObject>
+ (instancetype)alloc;
+ (Class)class;
- (instancetype)init;
- (void)dealloc;
- (id)copy;
@end

@interface NSObject (NSKeyValueCoding)
- (void)setValue:(nullable id)value forKey:(NSString *)key;
- (nullable id)valueForKey:(NSString *)key;
@end

@interface NSAutoreleasePool : NSObject
- (void)drain;
@end

typedef NS_OPTIONS(NSUInteger, NSStringCompareOptions) {
    NSCaseInsensitiveSearch = 1,
    NSBackwardsSearch = 4
};

@interface NSString : NSObject <NSCopying>
@property(readonly) NSUInteger length;
- (unichar)characterAtIndex:(NSUInteger)index;
@property(nullable, readonly) const char *UTF8String __attribute__((objc_returns_inner_pointer))
;
+ (nullable instancetype)stringWithUTF8String:(const char *)bytes;
+ (instancetype)stringWithFormat:(NSString *)format, ... NS_FORMAT(1, 2);
- (BOOL)isEqualToString:(NSString *)other;
- (NSString *)stringByAppendingString:(NSString *)other;
- (NSRange)rangeOfString:(NSString *)part options:(NSStringCompareOptions)options;
- (NSString *)stringByPaddingToLength:(NSUInteger)length
                           withString:(NSString *)padding
                      startingAtIndex:(NSUInteger)index;
@end

@interface NSMutableString : NSString
- (instancetype)initWithFormat:(NSString *)format, ... NS_FORMAT(1, 2);
@end

@interface NSData : NSObject <NSCopying>
+ (instancetype)dataWithBytes:(nullable const void *)bytes length:(NSUInteger)length;
@property(readonly) NSUInteger length;
@property(readonly) const void *bytes __attribute__((objc_returns_inner_pointer));
@end
@interface NSMutableData : NSData
+ (instancetype)data;
- (void)appendBytes:(const void *)bytes length:(NSUInteger)length;
@end

@interface NSArray<__covariant T> : NSObject <NSCopying, NSFastEnumeration>
+ (instancetype)array;
+ (instancetype)arrayWithObjects:(T)first, ... NS_SENTINEL;
@property(readonly) NSUInteger count;
- (T)objectAtIndex:(NSUInteger)index;
- (NSArray<T> *)sortedArrayUsingFunction:(NSInteger (*)(T, T, void *_Nullable))compare
                                 context:(nullable void *)context;
- (NSString *)componentsJoinedByString:(NSString *)separator;
@end
@interface NSMutableArray<T> : NSArray <T>
- (void)addObject:(T)object;
@end

@interface NSDictionary<__covariant K, __covariant V> : NSObject <NSCopying>
+ (instancetype)dictionary;
@property(readonly) NSUInteger count;
- (nullable V)objectForKey:(K)key;
@end
@interface NSMutableDictionary<K, V> : NSDictionary <K, V>
- (void)setObject:(V)object forKey:(id<NSCopying>)key;
@end

@interface NSNumber : NSObject <NSCopying>
+ (NSNumber *)numberWithBool:(BOOL)value;
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithLong:(long)value;
+ (NSNumber *)numberWithUnsignedInteger:(NSUInteger)value;
+ (NSNumber *)numberWithDouble:(double)value;
@property(readonly) BOOL boolValue;
@property(readonly) double doubleValue;
@end

@interface NSError : NSObject
@property(readonly, copy) NSString *localizedDescription;
@end

typedef NSString *NSExceptionName;
@interface NSException : NSObject
@property(readonly, copy) NSExceptionName name;
@property(nullable, readonly, copy) NSString *reason;
@end

@interface NSPredicate : NSObject
+ (NSPredicate *)predicateWithFormat:(NSString *)format, ...;
@end
@interface NSCompoundPredicate : NSPredicate
+ (NSCompoundPredicate *)andPredicateWithSubpredicates:(NSArray<NSPredicate *> *)parts;
@end
@interface NSSortDescriptor : NSObject
+ (instancetype)sortDescriptorWithKey:(nullable NSString *)key ascending:(BOOL)ascending;
@end

@interface NSURL : NSObject
+ (nullable instancetype)URLWithString:(NSString *)text;
@property(nullable, readonly, copy) NSString *scheme;
@end

@interface NSDate : NSObject
+ (instancetype)date;
+ (instancetype)dateWithTimeIntervalSinceNow:(NSTimeInterval)seconds;
+ (instancetype)dateWithTimeIntervalSince1970:(NSTimeInterval)seconds;
@property(readonly) NSTimeInterval timeIntervalSince1970;
- (instancetype)dateByAddingTimeInterval:(NSTimeInterval)seconds;
- (NSTimeInterval)timeIntervalSinceDate:(NSDate *)other;
- (NSComparisonResult)compare:(NSDate *)other;
@end
@interface NSDateComponents : NSObject
@property NSInteger year;
@property NSInteger month;
@property NSInteger day;
@end

@interface NSBundle : NSObject
@property(class, readonly, strong) NSBundle *mainBundle;
@property(nullable, readonly, copy) NSString *bundleIdentifier;
@end

@interface NSJSONSerialization : NSObject
+ (nullable NSData *)dataWithJSONObject:(id)object
                                options:(NSUInteger)options
                                  error:(NSError *_Nullable *_Nullable)error;
+ (nullable id)JSONObjectWithData:(NSData *)data
                          options:(NSUInteger)options
                            error:(NSError *_Nullable *_Nullable)error;
@end

typedef NSString *NSRunLoopMode;
extern NSRunLoopMode const NSDefaultRunLoopMode;
@interface NSRunLoop : NSObject
@property(class, readonly, strong) NSRunLoop *currentRunLoop;
- (BOOL)runMode:(NSRunLoopMode)mode beforeDate:(NSDate *)limit;
@end

@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo *processInfo;
@property(readonly, copy) NSString *operatingSystemVersionString;
@end

Class _Nullable NSClassFromString(NSString *name);

typedef NS_ENUM(NSInteger, UIDeviceOrientation) {
    UIDeviceOrientationUnknown,
    UIDeviceOrientationPortrait,
    UIDeviceOrientationPortraitUpsideDown,
    UIDeviceOrientationLandscapeLeft,
    UIDeviceOrientationLandscapeRight,
    UIDeviceOrientationFaceUp,
    UIDeviceOrientationFaceDown
};

NS_ASSUME_NONNULL_END

#endif
