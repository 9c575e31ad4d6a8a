/* native_events.m: calendar and reminders, by EventKit. */
#import "native.h"

#import "frameworks.h"

enum { DAY_S = 86400, HOUR_S = 3600, READ_DAYS = 30 };

/* A store with access to events or reminders; nil: the reply says why not. */
static id<IAEKStore> open_store(struct ia_xn *n, NSUInteger type)
{
    id class = ia_xn_class(n, @"EKEventStore");
    const char *service = type == IA_EK_EVENT ? "calendar" : "reminders";
    if (class == nil ||
        !ia_xn_allowed(n, service,
                       [(id<IAEKStoreClass>)class authorizationStatusForEntityType:type], NO)) {
        return nil;
    }
    return [[[class alloc] init] autorelease];
}

/* A date that was given and does not exist, such as "2025-02-30", would be lost silently. */
static BOOL is_date(struct ia_xn *n, NSString *name, NSDate *date)
{
    if (date == nil && ia_xn_text(n, name) != nil) {
        ia_xc_fail(n->op, IA_WIRE_E_USAGE, "%s: '%s' is not a date of the calendar",
                   n->action->name, ia_xc_utf8(ia_xn_text(n, name)));
        return NO;
    }
    return YES;
}

/* ---- calendar ---------------------------------------------------------------------------- */

static NSDictionary *event_row(id item)
{
    id<IAEKEvent> event = item;
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    BOOL day = [event isAllDay];
    ia_xn_put(row, @"id", [event eventIdentifier]);
    ia_xn_put(row, @"title", [event title]);
    ia_xn_put(row, @"start", ia_xn_time_text([event startDate], day));
    ia_xn_put(row, @"end", ia_xn_time_text([event endDate], day));
    ia_xn_put(row, @"all_day", [NSNumber numberWithBool:day]);
    ia_xn_put(row, @"location", [event location]);
    ia_xn_put(row, @"notes", [event notes]);
    ia_xn_put(row, @"calendar", [(id<IAEKCalendar>)[event calendar] title]);
    return row;
}

static BOOL has_text(id<IAEKItem> item, NSString *query)
{
    NSString *const texts[] = {[item title], [item notes], [item location]};
    return ia_xn_matches(query, texts, 3);
}

BOOL ia_xn_calendar_read(struct ia_xn *n)
{
    BOOL end_day = NO;
    NSDate *from = ia_xn_time(n, @"from", NULL), *to = ia_xn_time(n, @"to", &end_day);
    id<IAEKStore> store = open_store(n, IA_EK_EVENT);
    if (store == nil || !is_date(n, @"from", from) || !is_date(n, @"to", to)) {
        return NO;
    }
    from = from != nil ? from : [NSDate date];
    /* The last day is included. */
    to = to == nil ? [from dateByAddingTimeInterval:READ_DAYS * DAY_S]
         : end_day ? [to dateByAddingTimeInterval:DAY_S]
                   : to;
    NSMutableArray *found = [NSMutableArray array];
    NSPredicate *span = [store predicateForEventsWithStartDate:from endDate:to calendars:nil];
    for (id event in [store eventsMatchingPredicate:span]) {
        if (has_text(event, ia_xn_text(n, @"query"))) {
            [found addObject:event];
        }
    }
    ia_xn_put_list(n, @"events", found, event_row);
    return YES;
}

/* What the arguments give of an event. */
static BOOL fill_event(struct ia_xn *n, id<IAEKEvent> event)
{
    BOOL start_day = NO, end_day = NO;
    NSDate *start = ia_xn_time(n, @"start", &start_day), *end = ia_xn_time(n, @"end", &end_day);
    if (!is_date(n, @"start", start) || !is_date(n, @"end", end)) {
        return NO;
    }
    if (ia_xn_text(n, @"title") != nil) {
        [event setTitle:ia_xn_text(n, @"title")];
    }
    if (ia_xn_text(n, @"notes") != nil) {
        [event setNotes:ia_xn_text(n, @"notes")];
    }
    if (ia_xn_text(n, @"location") != nil) {
        [event setLocation:ia_xn_text(n, @"location")];
    }
    if (start != nil) {
        /* A moved event keeps its length. */
        NSTimeInterval length = [event endDate] != nil && [event startDate] != nil
                                    ? [[event endDate] timeIntervalSinceDate:[event startDate]]
                                    : HOUR_S;
        [event setStartDate:start];
        [event setAllDay:start_day];
        [event setEndDate:start_day && end == nil ? start
                                                  : [start dateByAddingTimeInterval:length]];
    }
    if (end != nil) {
        [event setEndDate:end];
    }
    if ([[event endDate] compare:[event startDate]] == NSOrderedAscending) {
        ia_xc_fail(n->op, IA_WIRE_E_USAGE, "%s: the end is before the start", n->action->name);
        return NO;
    }
    return YES;
}

static BOOL save_event(struct ia_xn *n, id<IAEKStore> store, id<IAEKEvent> event)
{
    NSError *error = nil;
    if (!fill_event(n, event) || !ia_xc_send(n->op) ||
        !ia_xn_saved(n, [store saveEvent:event span:IA_EK_THIS_EVENT commit:YES error:&error],
                     error)) {
        return NO;
    }
    [n->answer setObject:event_row(event) forKey:@"event"];
    return YES;
}

BOOL ia_xn_calendar_create(struct ia_xn *n)
{
    id<IAEKStore> store = open_store(n, IA_EK_EVENT);
    id<IAEKEventClass> class = store != nil ? ia_xn_class(n, @"EKEvent") : nil;
    if (class == nil) {
        return NO;
    }
    id<IAEKEvent> event = [class eventWithEventStore:store];
    [event setCalendar:[store defaultCalendarForNewEvents]];
    return save_event(n, store, event);
}

/* nil: the reply says so. */
static id<IAEKEvent> find_event(struct ia_xn *n, id<IAEKStore> store)
{
    id event = store != nil ? [store eventWithIdentifier:ia_xn_text(n, @"id")] : nil;
    if (store != nil && event == nil) {
        (void)ia_xn_not_found(n, @"event with that id");
    }
    return event;
}

BOOL ia_xn_calendar_update(struct ia_xn *n)
{
    id<IAEKStore> store = open_store(n, IA_EK_EVENT);
    id<IAEKEvent> event = find_event(n, store);
    return event != nil && save_event(n, store, event);
}

BOOL ia_xn_calendar_delete(struct ia_xn *n)
{
    NSError *error = nil;
    id<IAEKStore> store = open_store(n, IA_EK_EVENT);
    id<IAEKEvent> event = find_event(n, store);
    if (event == nil || !ia_xc_send(n->op)) {
        return NO;
    }
    [n->answer setObject:event_row(event) forKey:@"deleted"];
    return ia_xn_saved(
        n, [store removeEvent:event span:IA_EK_THIS_EVENT commit:YES error:&error], error);
}

/* ---- reminders --------------------------------------------------------------------------- */

static NSString *due_text(NSDateComponents *due)
{
    if (due == nil) {
        return nil;
    }
    return [NSString stringWithFormat:@"%04ld-%02ld-%02ld", (long)[due year], (long)[due month],
                                      (long)[due day]];
}

static NSDictionary *reminder_row(id item)
{
    id<IAEKReminder> reminder = item;
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"id", [reminder calendarItemIdentifier]);
    ia_xn_put(row, @"title", [reminder title]);
    ia_xn_put(row, @"notes", [reminder notes]);
    ia_xn_put(row, @"list", [(id<IAEKCalendar>)[reminder calendar] title]);
    ia_xn_put(row, @"due", due_text([reminder dueDateComponents]));
    ia_xn_put(row, @"completed", [NSNumber numberWithBool:[reminder isCompleted]]);
    return row;
}

BOOL ia_xn_reminder_lists(struct ia_xn *n)
{
    id<IAEKStore> store = open_store(n, IA_EK_REMINDER);
    NSMutableArray *names = [NSMutableArray array];
    for (id<IAEKCalendar> list in [store calendarsForEntityType:IA_EK_REMINDER]) {
        if ([list title] != nil) {
            [names addObject:[list title]];
        }
    }
    [n->answer setObject:names forKey:@"lists"];
    return store != nil;
}

/* The list that is called so. nil: the reply says so. */
static id find_list(struct ia_xn *n, id<IAEKStore> store, NSString *name)
{
    for (id<IAEKCalendar> list in [store calendarsForEntityType:IA_EK_REMINDER]) {
        if ([[list title] isEqualToString:name]) {
            return list;
        }
    }
    (void)ia_xn_not_found(n, [NSString stringWithFormat:@"list '%@'", name]);
    return nil;
}

/* EventKit calls the block on a thread of its own. */
static BOOL fetch_reminders(struct ia_xn *n, id<IAEKStore> store, NSArray *lists, NSArray **ret)
{
    struct ia_xn_later *later = ia_xn_later_new();
    id result = nil;
    if (later == NULL) {
        ia_xc_fail(n->op, IA_WIRE_E_MEMORY, "out of memory");
        return NO;
    }
    (void)[store fetchRemindersMatchingPredicate:[store predicateForRemindersInCalendars:lists]
                                      completion:^(NSArray *reminders) {
                                        ia_xn_later_set(later, reminders, nil);
                                      }];
    BOOL done = ia_xn_later_wait(n, later, &result);
    *ret = result;
    return done;
}

BOOL ia_xn_reminder_read(struct ia_xn *n)
{
    NSString *name = ia_xn_text(n, @"list");
    NSNumber *completed = ia_xn_number(n, @"completed");
    NSArray *all = nil;
    id<IAEKStore> store = open_store(n, IA_EK_REMINDER);
    id list = store != nil && name != nil ? find_list(n, store, name) : nil;
    if (store == nil || (name != nil && list == nil) ||
        !fetch_reminders(n, store, list != nil ? [NSArray arrayWithObjects:list, nil] : nil,
                         &all)) {
        return NO;
    }
    NSMutableArray *found = [NSMutableArray array];
    for (id<IAEKReminder> reminder in all) {
        BOOL wanted = completed == nil || [completed boolValue] == [reminder isCompleted];
        if (wanted && has_text(reminder, ia_xn_text(n, @"query"))) {
            [found addObject:reminder];
        }
    }
    ia_xn_put_list(n, @"reminders", found, reminder_row);
    return YES;
}

/* Without a time zone: the day, wherever the phone is. */
static NSDateComponents *day_of(NSDate *date)
{
    struct tm t = ia_xn_local(date);
    NSDateComponents *day = [[[NSDateComponents alloc] init] autorelease];
    [day setYear:t.tm_year + 1900];
    [day setMonth:t.tm_mon + 1];
    [day setDay:t.tm_mday];
    return day;
}

/* What the arguments give of a reminder. */
static BOOL fill_reminder(struct ia_xn *n, id<IAEKStore> store, id<IAEKReminder> reminder)
{
    NSString *name = ia_xn_text(n, @"list");
    NSDate *due = ia_xn_time(n, @"due", NULL);
    id list = name != nil ? find_list(n, store, name) : nil;
    if ((name != nil && list == nil) || !is_date(n, @"due", due)) {
        return NO;
    }
    if (list != nil) {
        [reminder setCalendar:list];
    }
    if (ia_xn_text(n, @"title") != nil) {
        [reminder setTitle:ia_xn_text(n, @"title")];
    }
    if (ia_xn_text(n, @"notes") != nil) {
        [reminder setNotes:ia_xn_text(n, @"notes")];
    }
    if (due != nil) {
        [reminder setDueDateComponents:day_of(due)];
    }
    if (ia_xn_number(n, @"completed") != nil) {
        [reminder setCompleted:[ia_xn_number(n, @"completed") boolValue]];
    }
    return YES;
}

static BOOL save_reminder(struct ia_xn *n, id<IAEKStore> store, id<IAEKReminder> reminder)
{
    NSError *error = nil;
    if (!fill_reminder(n, store, reminder) || !ia_xc_send(n->op) ||
        !ia_xn_saved(n, [store saveReminder:reminder commit:YES error:&error], error)) {
        return NO;
    }
    [n->answer setObject:reminder_row(reminder) forKey:@"reminder"];
    return YES;
}

BOOL ia_xn_reminder_create(struct ia_xn *n)
{
    id<IAEKStore> store = open_store(n, IA_EK_REMINDER);
    id<IAEKReminderClass> class = store != nil ? ia_xn_class(n, @"EKReminder") : nil;
    if (class == nil) {
        return NO;
    }
    id<IAEKReminder> reminder = [class reminderWithEventStore:store];
    [reminder setCalendar:[store defaultCalendarForNewReminders]];
    return save_reminder(n, store, reminder);
}

BOOL ia_xn_reminder_update(struct ia_xn *n)
{
    id<IAEKStore> store = open_store(n, IA_EK_REMINDER);
    id item = store != nil ? [store calendarItemWithIdentifier:ia_xn_text(n, @"id")] : nil;
    /* The same identifiers name events. */
    if (store != nil && ![item respondsToSelector:@selector(setCompleted:)]) {
        return ia_xn_not_found(n, @"reminder with that id");
    }
    return store != nil && save_reminder(n, store, item);
}

BOOL ia_xn_reminder_add_list(struct ia_xn *n)
{
    NSString *name = ia_xn_text(n, @"name");
    NSError *error = nil;
    id<IAEKStore> store = open_store(n, IA_EK_REMINDER);
    id<IAEKCalendarClass> class = store != nil ? ia_xn_class(n, @"EKCalendar") : nil;
    if (class == nil) {
        return NO;
    }
    for (id<IAEKCalendar> list in [store calendarsForEntityType:IA_EK_REMINDER]) {
        if ([[list title] isEqualToString:name]) {
            ia_xc_fail(n->op, IA_WIRE_E_EXISTS, "%s: there is a list '%s'", n->action->name,
                       ia_xc_utf8(name));
            return NO;
        }
    }
    id<IAEKCalendar> list = [class calendarForEntityType:IA_EK_REMINDER eventStore:store];
    [list setTitle:name];
    [list setSource:[(id<IAEKCalendar>)[store defaultCalendarForNewReminders] source]];
    if (!ia_xc_send(n->op) ||
        !ia_xn_saved(n, [store saveCalendar:list commit:YES error:&error], error)) {
        return NO;
    }
    [n->answer setObject:name forKey:@"list"];
    return YES;
}
