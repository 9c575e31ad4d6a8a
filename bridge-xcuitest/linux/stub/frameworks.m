/* frameworks.m: what the native actions use of EventKit, Contacts, Photos, CoreLocation and MapKit,
 * over a few objects in memory.
 *
 * STUB_PRIVACY in the environment of the program: "calendar=2,photos=4", the authorization status of
 * a service; 3, authorized, for all others. Completion blocks are called at once; with
 * STUB_LATER=end only when the program ends, after their request did. A save honours the faults of the app in front as operation `save`
 * (README.md); STUB_REFUSE=save makes it return NO with an error. */
#import "stub/stub.h"

#import "frameworks.h"

#include <stdlib.h>
#include <string.h>

static NSMutableArray *events, *reminders, *lists, *contacts;
static NSUInteger next_id;
static void (^late)(NSArray *); /* of the last fetch that was not answered */

static NSInteger status_of(const char *service)
{
    const char *set = getenv("STUB_PRIVACY");
    const char *at = set != NULL ? strstr(set, service) : NULL;
    return at != NULL ? atoi(at + strlen(service) + 1) : IA_APPLE_AUTHORIZED;
}

static NSString *new_id(NSString *kind)
{
    return [NSString stringWithFormat:@"%@-%lu", kind, (unsigned long)++next_id];
}

static NSError *refusal(void)
{
    return
        [NSError errorWithDomain:@"stub"
                            code:1
                        userInfo:[NSDictionary dictionaryWithObject:@"the store is full"
                                                             forKey:NSLocalizedDescriptionKey]];
}

/* GNUstep's _Block_copy leaves the blocks of newer compilers on the stack. This one captures a C pointer
 * alone, so its bytes are all of it. Layout: clang, Block Implementation Specification. */
struct block {
    void *isa;
    int flags, reserved;
    void *invoke;
    const struct {
        unsigned long reserved, size;
    } * descriptor;
};
static void *copy_of(const void *block)
{
    size_t n = ((const struct block *)block)->descriptor->size;
    void *copy = malloc(n);
    return copy != NULL ? memcpy(copy, block, n) : NULL;
}

/* A save with its faults: NO, the object is not kept. */
static BOOL save(NSMutableArray *to, id object, NSError **error)
{
    FKApp *app = [FKPhone shared]->front;
    if (getenv("STUB_REFUSE") != NULL) {
        *error = refusal();
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

/* An object with properties by name; reads of what was never set are nil. */
@interface StubObject : NSObject {
  @public
    NSMutableDictionary *values;
}
+ (id)withValues:(NSDictionary *)given;
- (id)get:(NSString *)key;
- (void)put:(id)value as:(NSString *)key;
@end

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

/* ---- EventKit ---------------------------------------------------------------------------- */

@interface EKCalendar : StubObject
@end
@implementation EKCalendar
+ (id)calendarForEntityType:(NSUInteger)type eventStore:(id)store
{
    (void)type;
    (void)store;
    return [self withValues:[NSDictionary dictionary]];
}
TEXT(title, setTitle)
OBJECT(id, source, setSource)
@end

@interface EKCalendarItem : StubObject
@end
@implementation EKCalendarItem
TEXT(title, setTitle)
TEXT(notes, setNotes)
TEXT(location, setLocation)
OBJECT(id, calendar, setCalendar)
- (NSString *)calendarItemIdentifier
{
    return [self get:@"id"];
}
@end

@interface EKEvent : EKCalendarItem
@end
@implementation EKEvent
+ (id)eventWithEventStore:(id)store
{
    (void)store;
    return [self withValues:[NSDictionary dictionaryWithObject:new_id(@"event") forKey:@"id"]];
}
- (NSString *)eventIdentifier
{
    return [self get:@"id"];
}
OBJECT(NSDate *, startDate, setStartDate)
OBJECT(NSDate *, endDate, setEndDate)
BOOLEAN(isAllDay, setAllDay)
@end

@interface EKReminder : EKCalendarItem
@end
@implementation EKReminder
+ (id)reminderWithEventStore:(id)store
{
    (void)store;
    return [self withValues:[NSDictionary dictionaryWithObject:new_id(@"reminder")
                                                        forKey:@"id"]];
}
OBJECT(NSDateComponents *, dueDateComponents, setDueDateComponents)
BOOLEAN(isCompleted, setCompleted)
@end

@interface EKEventStore : NSObject
@end
@implementation EKEventStore

+ (void)initialize
{
    if (lists == nil) {
        NSDictionary *values = [NSDictionary dictionaryWithObject:@"Reminders" forKey:@"title"];
        events = [[NSMutableArray alloc] init];
        reminders = [[NSMutableArray alloc] init];
        lists = [[NSMutableArray alloc] initWithObjects:[EKCalendar withValues:values], nil];
    }
}

+ (NSInteger)authorizationStatusForEntityType:(NSUInteger)type
{
    return status_of(type == IA_EK_EVENT ? "calendar" : "reminders");
}

- (NSArray *)calendarsForEntityType:(NSUInteger)type
{
    return type == IA_EK_REMINDER ? lists : [NSArray array];
}

- (id)defaultCalendarForNewEvents
{
    return [EKCalendar withValues:[NSDictionary dictionaryWithObject:@"Home" forKey:@"title"]];
}

- (id)defaultCalendarForNewReminders
{
    return [lists objectAtIndex:0];
}

- (NSPredicate *)predicateForEventsWithStartDate:(NSDate *)start
                                         endDate:(NSDate *)end
                                       calendars:(NSArray *)calendars
{
    (void)calendars;
    return [NSPredicate predicateWithFormat:@"startDate < %@ AND endDate >= %@", end, start];
}

- (NSArray *)eventsMatchingPredicate:(NSPredicate *)predicate
{
    return [events filteredArrayUsingPredicate:predicate];
}

static id find(NSArray *items, NSString *identifier)
{
    for (EKCalendarItem *item in items) {
        if ([[item calendarItemIdentifier] isEqualToString:identifier]) {
            return item;
        }
    }
    return nil;
}

- (id)eventWithIdentifier:(NSString *)identifier
{
    return find(events, identifier);
}

- (id)calendarItemWithIdentifier:(NSString *)identifier
{
    id event = find(events, identifier);
    return event != nil ? event : find(reminders, identifier);
}

- (BOOL)saveEvent:(id)event span:(NSInteger)span commit:(BOOL)commit error:(NSError **)error
{
    return span == IA_EK_THIS_EVENT && commit && save(events, event, error);
}

- (BOOL)removeEvent:(id)event span:(NSInteger)span commit:(BOOL)commit error:(NSError **)error
{
    if (span != IA_EK_THIS_EVENT || !commit || !save(events, event, error)) {
        return NO;
    }
    [events removeObject:event];
    return YES;
}

- (NSPredicate *)predicateForRemindersInCalendars:(NSArray *)calendars
{
    return calendars != nil ? [NSPredicate predicateWithFormat:@"calendar IN %@", calendars]
                            : [NSPredicate predicateWithValue:YES];
}

- (id)fetchRemindersMatchingPredicate:(NSPredicate *)predicate
                           completion:(void (^)(NSArray *))completion
{
    if (getenv("STUB_LATER") == NULL) {
        completion([reminders filteredArrayUsingPredicate:predicate]);
    } else {
        late = copy_of((const void *)completion);
    }
    return self;
}

- (BOOL)saveReminder:(id)reminder commit:(BOOL)commit error:(NSError **)error
{
    return commit && save(reminders, reminder, error);
}

- (BOOL)saveCalendar:(id)calendar commit:(BOOL)commit error:(NSError **)error
{
    return commit && save(lists, calendar, error);
}

@end

/* ---- Contacts ---------------------------------------------------------------------------- */

@interface CNPhoneNumber : StubObject
@end
@implementation CNPhoneNumber
+ (id)phoneNumberWithStringValue:(NSString *)text
{
    return [self withValues:[NSDictionary dictionaryWithObject:text forKey:@"text"]];
}
- (NSString *)stringValue
{
    return [self get:@"text"];
}
@end

@interface CNLabeledValue : StubObject
@end
@implementation CNLabeledValue
+ (id)labeledValueWithLabel:(NSString *)label value:(id)value
{
    return [self withValues:[NSDictionary dictionaryWithObjectsAndKeys:label, @"label", value,
                                                                       @"value", nil]];
}
- (id)value
{
    return [self get:@"value"];
}
@end

@interface CNContact : StubObject
@end
@implementation CNContact
TEXT(identifier, setIdentifier)
TEXT(givenName, setGivenName)
TEXT(familyName, setFamilyName)
OBJECT(NSArray *, phoneNumbers, setPhoneNumbers)
OBJECT(NSArray *, emailAddresses, setEmailAddresses)
+ (NSPredicate *)predicateForContactsMatchingName:(NSString *)name
{
    return [NSPredicate
        predicateWithFormat:@"givenName CONTAINS[c] %@ OR familyName CONTAINS[c] %@", name,
                            name];
}
+ (NSPredicate *)predicateForContactsMatchingPhoneNumber:(CNPhoneNumber *)number
{
    return [NSPredicate predicateWithFormat:@"firstPhone == %@", [number stringValue]];
}
+ (NSPredicate *)predicateForContactsMatchingEmailAddress:(NSString *)address
{
    return [NSPredicate predicateWithFormat:@"firstEmail == %@", address];
}
- (NSString *)firstPhone
{
    NSArray *all = [self phoneNumbers];
    return [all count] > 0 ? [[[all objectAtIndex:0] value] stringValue] : @"";
}
- (NSString *)firstEmail
{
    NSArray *all = [self emailAddresses];
    return [all count] > 0 ? [[all objectAtIndex:0] value] : @"";
}
@end

@interface CNMutableContact : CNContact
@end
@implementation CNMutableContact
- (id)init
{
    self = [super init];
    [self put:new_id(@"contact") as:@"identifier"];
    return self;
}
@end

@interface CNSaveRequest : StubObject
@end
@implementation CNSaveRequest
- (void)addContact:(id)contact toContainerWithIdentifier:(NSString *)identifier
{
    [self put:identifier == nil ? contact : nil as:@"contact"];
}
@end

@interface CNContactStore : NSObject
@end
@implementation CNContactStore

+ (void)initialize
{
    if (contacts == nil) {
        contacts = [[NSMutableArray alloc] init];
    }
}

+ (NSInteger)authorizationStatusForEntityType:(NSInteger)type
{
    return type == IA_CN_CONTACTS ? status_of("contacts") : 0;
}

- (NSArray *)unifiedContactsMatchingPredicate:(NSPredicate *)predicate
                                  keysToFetch:(NSArray *)keys
                                        error:(NSError **)error
{
    (void)error;
    return [keys containsObject:@"givenName"] ? [contacts filteredArrayUsingPredicate:predicate]
                                              : nil;
}

- (BOOL)executeSaveRequest:(CNSaveRequest *)request error:(NSError **)error
{
    return save(contacts, [request get:@"contact"], error);
}

@end

/* ---- Photos ------------------------------------------------------------------------------ */

@interface PHPhotoLibrary : NSObject
@end
@implementation PHPhotoLibrary
+ (NSInteger)authorizationStatusForAccessLevel:(NSInteger)level
{
    return level == IA_PH_READ_WRITE ? status_of("photos") : 0;
}
@end

@interface PHFetchOptions : StubObject
@end
@implementation PHFetchOptions
OBJECT(NSPredicate *, predicate, setPredicate)
OBJECT(NSArray *, sortDescriptors, setSortDescriptors)
@end

@interface PHFetchResult : StubObject
@end
@implementation PHFetchResult
- (NSUInteger)count
{
    return [[self get:@"items"] count];
}
- (id)objectAtIndex:(NSUInteger)index
{
    return [[self get:@"items"] objectAtIndex:index];
}
@end

static id result_of(NSArray *items)
{
    return [PHFetchResult withValues:[NSDictionary dictionaryWithObject:items forKey:@"items"]];
}

@interface PHAssetCollection : StubObject
@end
@implementation PHAssetCollection
TEXT(localizedTitle, setLocalizedTitle)
+ (id)fetchAssetCollectionsWithType:(NSInteger)type
                            subtype:(NSInteger)subtype
                            options:(id)options
{
    NSString *name = type == IA_PH_ALBUM ? @"Holidays" : @"Videos";
    (void)options;
    return result_of(
        subtype == IA_PH_ANY_SUBTYPE
            ? [NSArray
                  arrayWithObject:[self withValues:[NSDictionary
                                                       dictionaryWithObject:name
                                                                     forKey:@"localizedTitle"]]]
            : [NSArray array]);
}
@end

enum { PHOTOS = 60, FILMS_EVERY = 10 }; /* every tenth is a film; one a day from 2025-01-01 */

@interface PHAsset : StubObject
@end
@implementation PHAsset
- (NSString *)localIdentifier
{
    return [self get:@"id"];
}
- (NSInteger)mediaType
{
    return [[self get:@"type"] integerValue];
}
- (NSUInteger)pixelWidth
{
    return 4032;
}
- (NSUInteger)pixelHeight
{
    return 3024;
}
OBJECT(NSDate *, creationDate, setCreationDate)
+ (NSArray *)all
{
    NSMutableArray *all = [NSMutableArray array];
    for (int i = 0; i < PHOTOS; i++) {
        int type = i % FILMS_EVERY == 0 ? IA_PH_VIDEO : IA_PH_IMAGE;
        NSDate *taken = [NSDate dateWithTimeIntervalSince1970:1735732800 + i * 86400];
        PHAsset *asset = [self
            withValues:[NSDictionary
                           dictionaryWithObjectsAndKeys:[NSString stringWithFormat:@"P%d", i],
                                                        @"id", [NSNumber numberWithInt:type],
                                                        @"type", taken, @"creationDate", nil]];
        [asset put:[NSNumber numberWithInt:type] as:@"mediaType"];
        [all addObject:asset];
    }
    return all;
}
+ (id)fetchAssetsWithOptions:(PHFetchOptions *)options
{
    NSArray *all = [self all];
    NSPredicate *predicate = [options predicate];
    all = predicate != nil ? [all filteredArrayUsingPredicate:predicate] : all;
    return result_of([all sortedArrayUsingDescriptors:[options sortDescriptors]]);
}
+ (id)fetchAssetsInAssetCollection:(PHAssetCollection *)album options:(PHFetchOptions *)options
{
    NSString *type = [[album localizedTitle] isEqualToString:@"Videos"] ? @"mediaType == 2"
                                                                        : @"mediaType == 1";
    NSArray *all =
        [[self all] filteredArrayUsingPredicate:[NSPredicate predicateWithFormat:type]];
    NSPredicate *predicate = [options predicate];
    return result_of(predicate != nil ? [all filteredArrayUsingPredicate:predicate] : all);
}
@end

@interface PHAssetResource : StubObject
@end
@implementation PHAssetResource
TEXT(originalFilename, setOriginalFilename)
+ (NSArray *)assetResourcesForAsset:(PHAsset *)asset
{
    NSString *name = [NSString stringWithFormat:@"IMG_%@.HEIC", [asset localIdentifier]];
    return [NSArray
        arrayWithObject:[self withValues:[NSDictionary
                                             dictionaryWithObject:name
                                                           forKey:@"originalFilename"]]];
}
@end

/* ---- CoreLocation and MapKit ------------------------------------------------------------- */

@interface CLLocation : NSObject {
    struct ia_coordinate at;
}
@end
@implementation CLLocation
- (id)initWithLatitude:(double)latitude longitude:(double)longitude
{
    self = [super init];
    if (self != nil) {
        at = (struct ia_coordinate){latitude, longitude};
    }
    return self;
}
- (struct ia_coordinate)coordinate
{
    return at;
}
/* On a flat map, in degrees times 100 km: enough to tell what is nearer. */
- (double)distanceFromLocation:(CLLocation *)other
{
    double dx = at.longitude - other->at.longitude, dy = at.latitude - other->at.latitude;
    return 100000 * ((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}
@end

static id location(double latitude, double longitude)
{
    return [[[CLLocation alloc] initWithLatitude:latitude longitude:longitude] autorelease];
}

@interface CLLocationManager : NSObject
@end
@implementation CLLocationManager
- (int)authorizationStatus
{
    return (int)status_of("location");
}
- (id)location
{
    return getenv("STUB_NOWHERE") == NULL ? location(52.5, 13.4) : nil;
}
@end

@interface CLPlacemark : StubObject
@end
@implementation CLPlacemark
TEXT(name, setName)
TEXT(thoroughfare, setThoroughfare)
TEXT(subThoroughfare, setSubThoroughfare)
TEXT(postalCode, setPostalCode)
TEXT(locality, setLocality)
TEXT(country, setCountry)
OBJECT(id, location, setLocation)
+ (id)named:(NSString *)name at:(id)where
{
    CLPlacemark *p = [self withValues:[NSDictionary dictionary]];
    [p setName:name];
    [p setSubThoroughfare:@"1"];
    [p setThoroughfare:@"Main Street"];
    [p setLocality:@"Springfield"];
    [p setLocation:where];
    return p;
}
@end

@interface CLGeocoder : NSObject
@end
@implementation CLGeocoder
- (void)geocodeAddressString:(NSString *)address
           completionHandler:(void (^)(NSArray *, NSError *))handler
{
    BOOL known = [address hasPrefix:@"1 Main"];
    NSArray *found = [NSArray arrayWithObject:[CLPlacemark named:@"1 Main Street"
                                                              at:location(1, 2)]];
    handler(known ? found : nil, known ? nil : refusal());
}
- (void)reverseGeocodeLocation:(CLLocation *)where
             completionHandler:(void (^)(NSArray *, NSError *))handler
{
    handler([NSArray arrayWithObject:[CLPlacemark named:@"1 Main Street" at:where]], nil);
}
@end

@interface MKLocalSearchRequest : StubObject
@end
@implementation MKLocalSearchRequest
TEXT(naturalLanguageQuery, setNaturalLanguageQuery)
@end

@interface MKMapItem : StubObject
@end
@implementation MKMapItem
TEXT(name, setName)
OBJECT(id, placemark, setPlacemark)
+ (id)named:(NSString *)name at:(id)where
{
    MKMapItem *item = [self withValues:[NSDictionary dictionary]];
    [item setName:name];
    [item setPlacemark:[CLPlacemark named:name at:where]];
    return item;
}
@end

@interface MKLocalSearchResponse : StubObject
@end
@implementation MKLocalSearchResponse
OBJECT(NSArray *, mapItems, setMapItems)
@end

@interface MKLocalSearch : StubObject
@end
@implementation MKLocalSearch
- (id)initWithRequest:(MKLocalSearchRequest *)request
{
    self = [self init];
    [self put:[request naturalLanguageQuery] as:@"query"];
    return self;
}
- (void)startWithCompletionHandler:(void (^)(id, NSError *))handler
{
    NSString *query = [self get:@"query"];
    MKLocalSearchResponse *found = [MKLocalSearchResponse withValues:[NSDictionary dictionary]];
    NSString *far = [query stringByAppendingString:@" far"];
    NSString *near = [query stringByAppendingString:@" near"];
    [found
        setMapItems:[NSArray arrayWithObjects:[MKMapItem named:far at:location(9, 9)],
                                              [MKMapItem named:near at:location(1, 1)], nil]];
    handler(found, nil);
}
@end

void StubDataEnd(void)
{
    if (late != NULL) {
        late(reminders);
        free((void *)late);
    }
    [events release];
    [reminders release];
    [lists release];
    [contacts release];
    events = reminders = lists = contacts = nil;
}
