/* frameworks.m: what the native actions use of EventKit, Contacts, Photos, CoreLocation and MapKit,
 * over a few objects in memory.
 *
 * STUB_PRIVACY in the environment of the program: "calendar=2,photos=4", the authorization status of
 * a service; 3, authorized, for all others. Completion blocks are called at once; with
 * STUB_LATER=end only when the program ends, after their request did. A save honours the faults of the app in front as operation `save`
 * (README.md); STUB_REFUSE=save makes it return NO with an error. */
#import "stub/frameworks_stub.h"

static NSUInteger next_id;

NSInteger StubStatus(const char *service)
{
    const char *set = getenv("STUB_PRIVACY");
    const char *at = set != NULL ? strstr(set, service) : NULL;
    return at != NULL ? atoi(at + strlen(service) + 1) : IA_APPLE_AUTHORIZED;
}

NSString *StubNewId(NSString *kind)
{
    return [NSString stringWithFormat:@"%@-%lu", kind, (unsigned long)++next_id];
}

NSError *StubRefusal(void)
{
    return
        [NSError errorWithDomain:@"stub"
                            code:1
                        userInfo:[NSDictionary dictionaryWithObject:@"the store is full"
                                                             forKey:NSLocalizedDescriptionKey]];
}

BOOL StubSave(NSMutableArray *to, id object, NSError **error)
{
    FKApp *app = [FKPhone shared]->front;
    if (getenv("STUB_REFUSE") != NULL) {
        *error = StubRefusal();
        return NO;
    }
    if (!FKBegin(app, @"save")) {
        return NO;
    }
    if (![to containsObject:object]) {
        [to addObject:object];
    }
    FKEnd(app, @"save");
    return YES;
}

@implementation StubObject

- (id)init
{
    self = [super init];
    if (self != nil) {
        values = [[NSMutableDictionary alloc] init];
    }
    return self;
}

+ (id)withValues:(NSDictionary *)given
{
    StubObject *o = [[[self alloc] init] autorelease];
    [o->values addEntriesFromDictionary:given];
    return o;
}

- (void)dealloc
{
    [values release];
    [super dealloc];
}

- (id)get:(NSString *)key
{
    return [values objectForKey:key];
}

- (void)put:(id)value as:(NSString *)key
{
    if (value != nil) {
        [values setObject:value forKey:key];
    } else {
        [values removeObjectForKey:key];
    }
}

- (id)valueForUndefinedKey:(NSString *)key
{
    return [values objectForKey:key];
}

@end

void StubDataEnd(void)
{
    StubEventsEnd();
    StubContactsEnd();
}
