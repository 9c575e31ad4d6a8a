/* frameworks_events.m: EventKit. */
#import "stub/frameworks_stub.h"

static NSMutableArray *events, *reminders, *lists;
static void (^late)(NSArray *); /* of the last fetch that was not answered */

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
    return [self withValues:[NSDictionary dictionaryWithObject:StubNewId(@"event")
                                                        forKey:@"id"]];
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
    return [self withValues:[NSDictionary dictionaryWithObject:StubNewId(@"reminder")
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
    return StubStatus(type == IA_EK_EVENT ? "calendar" : "reminders");
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
    return span == IA_EK_THIS_EVENT && commit && StubSave(events, event, error);
}

- (BOOL)removeEvent:(id)event span:(NSInteger)span commit:(BOOL)commit error:(NSError **)error
{
    if (span != IA_EK_THIS_EVENT || !commit || !StubSave(events, event, error)) {
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
    return commit && StubSave(reminders, reminder, error);
}

- (BOOL)saveCalendar:(id)calendar commit:(BOOL)commit error:(NSError **)error
{
    return commit && StubSave(lists, calendar, error);
}

@end

void StubEventsEnd(void)
{
    if (late != NULL) {
        late(reminders);
        free((void *)late);
    }
    [events release];
    [reminders release];
    [lists release];
    events = reminders = lists = nil;
}
