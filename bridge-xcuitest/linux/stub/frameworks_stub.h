/* frameworks_stub.h: what the stubs of the phone's data share. */
#import "stub/stub.h"

#import "frameworks.h"

#include <stdlib.h>
#include <string.h>

/* The authorization status of a service (STUB_PRIVACY). */
NSInteger StubStatus(const char *service);
NSString *StubNewId(NSString *kind);
NSError *StubRefusal(void);
/* A save with its faults: NO, the object is not kept. */
BOOL StubSave(NSMutableArray *to, id object, NSError **error);
/* Free what they hold. */
void StubEventsEnd(void);
void StubContactsEnd(void);

/* An object with properties by name; reads of what was never set are nil. */
@interface StubObject : NSObject {
  @public
    NSMutableDictionary *values;
}
+ (id)withValues:(NSDictionary *)given;
- (id)get:(NSString *)key;
- (void)put:(id)value as:(NSString *)key;
@end

#define TEXT(getter, setter)                                                                   \
    -(NSString *)getter                                                                        \
    {                                                                                          \
        return [self get:@ #getter];                                                           \
    }                                                                                          \
    -(void)setter : (NSString *)value                                                          \
    {                                                                                          \
        [self put:[[value copy] autorelease] as:@ #getter];                                    \
    }
#define OBJECT(type, getter, setter)                                                           \
    -(type)getter                                                                              \
    {                                                                                          \
        return [self get:@ #getter];                                                           \
    }                                                                                          \
    -(void)setter : (type)value                                                                \
    {                                                                                          \
        [self put:value as:@ #getter];                                                         \
    }
#define BOOLEAN(getter, setter)                                                                \
    -(BOOL)getter                                                                              \
    {                                                                                          \
        return [[self get:@ #getter] boolValue];                                               \
    }                                                                                          \
    -(void)setter : (BOOL)value                                                                \
    {                                                                                          \
        [self put:[NSNumber numberWithBool:value] as:@ #getter];                               \
    }
