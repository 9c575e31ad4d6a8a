/* native.h: what the files that perform native actions share. Private to native*.m.
 *
 * A native action reads or changes the phone's own data through Apple's frameworks, without the
 * screen. Its class is looked up by name: a build that lacks a framework says so and still runs.
 * The runner never asks for a permission, which would show an alert over the app under test. The
 * host grants it beforehand (simctl privacy); without it the answer is FORBIDDEN.
 *
 * Facts about selectors and types: Apple's documentation of EventKit, Contacts, Photos,
 * CoreLocation and MapKit. */
#ifndef IA_XCUITEST_NATIVE_H
#define IA_XCUITEST_NATIVE_H

#import "agent.h"

#include <time.h>

struct ia_xn {
    struct ia_xc_op *op;
    const struct ia_native_action *action;
    NSDictionary *args;          /* checked by the host against the table of wire/native.h */
    NSMutableDictionary *answer; /* to be filled */
};
/* NO: it has made the reply a failure. */
typedef BOOL ia_xn_fn(struct ia_xn *n);

/* ---- arguments and answers (native.m) ---- */

/* nil: not given. */
NSString *ia_xn_text(struct ia_xn *n, NSString *name);
NSNumber *ia_xn_number(struct ia_xn *n, NSString *name);
/* A time or a day in the phone's time zone; *ret_day (may be NULL) tells which. nil: not given, or
 * not a date of the calendar. */
NSDate *ia_xn_time(struct ia_xn *n, NSString *name, BOOL *ret_day);
/* "2025-09-09T14:00", or the day alone. nil for nil. */
NSString *ia_xn_time_text(NSDate *time, BOOL day);
/* In the phone's time zone. */
struct tm ia_xn_local(NSDate *time);
/* Leaves out nil and "". */
void ia_xn_put(NSMutableDictionary *to, NSString *key, id value);
/* Puts the first IA_NATIVE_ITEMS_MAX of them into the answer, as row makes each; "more" counts
 * the rest. */
void ia_xn_put_list(struct ia_xn *n, NSString *key, NSArray *items,
                    NSDictionary *(*row)(id item));
/* Whether one of the texts contains the query, in any case. Everything does for nil. */
BOOL ia_xn_matches(NSString *query, NSString *const *texts, NSUInteger count);

/* ---- failures ---- */

/* The class of a framework; nil: it is not part of this runner, and the reply says so. */
id ia_xn_class(struct ia_xn *n, NSString *name);
/* Whether Apple's status allows it: 3 always does, 4 for the services that have a limited
 * access. The reply says how to grant it. */
BOOL ia_xn_allowed(struct ia_xn *n, const char *service, NSInteger status, BOOL limited_counts);
/* After a save: NO makes the reply a failure with Apple's text. */
BOOL ia_xn_saved(struct ia_xn *n, BOOL done, NSError *error);
BOOL ia_xn_not_found(struct ia_xn *n, NSString *what);

/* ---- results that arrive later ----
 *
 * A completion block captures one C pointer and may be called after the request has ended, on any
 * thread: the structure is freed by whoever is last. The block only retains and stores. */
struct ia_xn_later;
struct ia_xn_later *ia_xn_later_new(void);
/* In the block. Both may be nil. */
void ia_xn_later_set(struct ia_xn_later *later, id result, NSError *error);
/* Runs the run loop until the block was called. The result is autoreleased. NO: the deadline
 * passed, or Apple's error; the reply says which. Gives up the caller's share of later. */
BOOL ia_xn_later_wait(struct ia_xn *n, struct ia_xn_later *later, id *ret_result);

/* ---- the actions ---- */

/* native_events.m: EventKit */
ia_xn_fn ia_xn_calendar_read, ia_xn_calendar_create, ia_xn_calendar_update,
    ia_xn_calendar_delete, ia_xn_reminder_lists, ia_xn_reminder_read, ia_xn_reminder_create,
    ia_xn_reminder_update, ia_xn_reminder_add_list;
/* native_library.m: Contacts and Photos */
ia_xn_fn ia_xn_contact_search, ia_xn_contact_create, ia_xn_photo_albums, ia_xn_photo_search;
/* native_places.m: CoreLocation and MapKit */
ia_xn_fn ia_xn_location_here, ia_xn_location_geocode, ia_xn_location_reverse,
    ia_xn_location_search;

#endif
