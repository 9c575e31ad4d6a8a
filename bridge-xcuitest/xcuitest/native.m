/* native.m: native actions: the table, arguments and answers, and how each of them fails.
 *
 *   request ─► function of the table ─► answer ─► JSON
 *                    │
 *                    └─► no framework, no permission, Apple's error: a failure
 *
 * Arguments and answers are the only JSON that Foundation reads and writes for the bridge: objects
 * of texts, numbers and lists, for which GNUstep's implementation agrees with Apple's. */
#import "native.h"

#import "frameworks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

static ia_xn_fn device_services;

static const struct {
    enum ia_native action;
    ia_xn_fn *fn;
} table[] = {
    {IA_NATIVE_DEVICE_SERVICES, device_services},
    {IA_NATIVE_CALENDAR_READ, ia_xn_calendar_read},
    {IA_NATIVE_CALENDAR_CREATE, ia_xn_calendar_create},
    {IA_NATIVE_CALENDAR_UPDATE, ia_xn_calendar_update},
    {IA_NATIVE_CALENDAR_DELETE, ia_xn_calendar_delete},
    {IA_NATIVE_REMINDER_LISTS, ia_xn_reminder_lists},
    {IA_NATIVE_REMINDER_READ, ia_xn_reminder_read},
    {IA_NATIVE_REMINDER_CREATE, ia_xn_reminder_create},
    {IA_NATIVE_REMINDER_UPDATE, ia_xn_reminder_update},
    {IA_NATIVE_REMINDER_ADD_LIST, ia_xn_reminder_add_list},
    {IA_NATIVE_CONTACT_SEARCH, ia_xn_contact_search},
    {IA_NATIVE_CONTACT_CREATE, ia_xn_contact_create},
    {IA_NATIVE_PHOTO_ALBUMS, ia_xn_photo_albums},
    {IA_NATIVE_PHOTO_SEARCH, ia_xn_photo_search},
    {IA_NATIVE_LOCATION_HERE, ia_xn_location_here},
    {IA_NATIVE_LOCATION_GEOCODE, ia_xn_location_geocode},
    {IA_NATIVE_LOCATION_REVERSE, ia_xn_location_reverse},
    {IA_NATIVE_LOCATION_SEARCH, ia_xn_location_search},
};

/* What each service needs, and why some cannot work in a runner: an app gets these entitlements
 * from a provisioning profile, which a test runner does not have. */
static const struct {
    const char *service;
    NSString *needs; /* a class; nil: it cannot work */
    const char *why;
} services[] = {
    {"calendar", @"EKEventStore", "this runner was built without EventKit"},
    {"reminder", @"EKEventStore", "this runner was built without EventKit"},
    {"contact", @"CNContactStore", "this runner was built without Contacts"},
    {"photo", @"PHAsset", "this runner was built without Photos"},
    {"location", @"CLGeocoder", "this runner was built without CoreLocation"},
    {"health", nil, "HealthKit needs an entitlement that a test runner does not have"},
    {"home", nil, "HomeKit needs an entitlement that a test runner does not have"},
    {"music", nil, "simulators have no Music app, and MusicKit needs a signed app"},
    {"shortcuts", nil, "iOS has no API that lists shortcuts; run_shortcut works by name"},
};

/* ---- arguments --------------------------------------------------------------------------- */

NSString *ia_xn_text(struct ia_xn *n, NSString *name)
{
    id value = [n->args objectForKey:name];
    return [value isKindOfClass:[NSString class]] ? value : nil;
}

NSNumber *ia_xn_number(struct ia_xn *n, NSString *name)
{
    id value = [n->args objectForKey:name];
    return [value isKindOfClass:[NSNumber class]] ? value : nil;
}

/* The C library's calendar: it does not depend on the phone's language or calendar, and tells a day that
 * does not exist from one that does. */
enum { DAY_CHARS = 10, YEAR_0 = 1900 };

NSDate *ia_xn_time(struct ia_xn *n, NSString *name, BOOL *ret_day)
{
    NSString *text = ia_xn_text(n, name);
    struct tm t = {.tm_isdst = -1};
    int year = 0, month = 0;
    int read = sscanf(ia_xc_utf8(text), "%4d-%2d-%2dT%2d:%2d", &year, &month, &t.tm_mday,
                      &t.tm_hour, &t.tm_min);
    int day = t.tm_mday;
    t.tm_year = year - YEAR_0;
    t.tm_mon = month - 1;
    if (ret_day != NULL) {
        *ret_day = [text length] == DAY_CHARS;
    }
    time_t seconds = mktime(&t); /* makes March 2 of February 30 */
    bool exists = (read == 3 || read == 5) && t.tm_mday == day && t.tm_mon == month - 1;
    return exists ? [NSDate dateWithTimeIntervalSince1970:(NSTimeInterval)seconds] : nil;
}

struct tm ia_xn_local(NSDate *time)
{
    struct tm t = {0};
    time_t seconds = (time_t)[time timeIntervalSince1970];
    (void)localtime_r(&seconds, &t);
    return t;
}

NSString *ia_xn_time_text(NSDate *time, BOOL day)
{
    char text[32];
    struct tm t = ia_xn_local(time);
    (void)strftime(text, sizeof(text), day ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M", &t);
    return time != nil ? ia_xc_string(text) : nil;
}

/* ---- answers ----------------------------------------------------------------------------- */

void ia_xn_put(NSMutableDictionary *to, NSString *key, id value)
{
    BOOL empty = [value isKindOfClass:[NSString class]] && [value length] == 0;
    if (value != nil && !empty) {
        [to setObject:value forKey:key];
    }
}

void ia_xn_put_list(struct ia_xn *n, NSString *key, NSArray *items,
                    NSDictionary *(*row)(id item))
{
    NSMutableArray *rows = [NSMutableArray array];
    NSUInteger more = 0;
    for (id item in items) {
        if ([rows count] < IA_NATIVE_ITEMS_MAX) {
            [rows addObject:row(item)];
        } else {
            more++;
        }
    }
    [n->answer setObject:rows forKey:key];
    if (more > 0) {
        [n->answer setObject:[NSNumber numberWithUnsignedInteger:more] forKey:@"more"];
    }
}

BOOL ia_xn_matches(NSString *query, NSString *const *texts, NSUInteger count)
{
    for (NSUInteger i = 0; i < count; i++) {
        NSRange at = texts[i] != nil && query != nil
                         ? [texts[i] rangeOfString:query options:NSCaseInsensitiveSearch]
                         : NSMakeRange(NSNotFound, 0);
        if (at.location != NSNotFound) {
            return YES;
        }
    }
    return query == nil;
}

/* ---- failures ---------------------------------------------------------------------------- */

id ia_xn_class(struct ia_xn *n, NSString *name)
{
    id class = NSClassFromString(name);
    if (class == nil) {
        ia_xc_fail(n->op, IA_WIRE_E_UNSUPPORTED,
                   "%s: this runner was built without the class %s", n->action->name,
                   ia_xc_utf8(name));
    }
    return class;
}

/* As the runner's Info.plist has it. */
static const char *bundle_id(void)
{
    NSString *name = [[NSBundle mainBundle] bundleIdentifier];
    return name != nil ? ia_xc_utf8(name) : "BUNDLE_ID";
}

BOOL ia_xn_allowed(struct ia_xn *n, const char *service, NSInteger status, BOOL limited_counts)
{
    static const char *const words[] = {"not granted", "restricted", "denied", "granted",
                                        "granted in part only"};
    if (status == IA_APPLE_AUTHORIZED || (limited_counts && status == IA_APPLE_LIMITED)) {
        return YES;
    }
    ia_xc_fail(
        n->op, IA_WIRE_E_FORBIDDEN,
        "%s: the runner's access to %s is %s; on a simulator, grant it with `xcrun simctl "
        "privacy UDID grant %s %s`",
        n->action->name, service,
        status >= 0 && (size_t)status < COUNTOF(words) ? words[status] : "not known", service,
        bundle_id());
    return NO;
}

BOOL ia_xn_saved(struct ia_xn *n, BOOL done, NSError *error)
{
    if (!done) {
        ia_xc_fail(n->op, IA_WIRE_E_DEVICE, "%s: %s", n->action->name,
                   error != nil ? ia_xc_utf8([error localizedDescription])
                                : "the framework refused, without a reason");
    }
    return done;
}

BOOL ia_xn_not_found(struct ia_xn *n, NSString *what)
{
    ia_xc_fail(n->op, IA_WIRE_E_NOT_FOUND, "%s: there is no %s", n->action->name,
               ia_xc_utf8(what));
    return NO;
}

/* ---- results that arrive later ----------------------------------------------------------- */

struct ia_xn_later {
    int shares;     /* of the request and of the block; atomic */
    int set;        /* atomic; what is below is final then */
    id result;      /* owned */
    NSError *error; /* owned */
};

/* Clang cannot use the stdatomic.h of GCC, which the build for GNUstep finds first. */
static BOOL is_set(struct ia_xn_later *later)
{
    return __atomic_load_n(&later->set, __ATOMIC_ACQUIRE) != 0;
}

struct ia_xn_later *ia_xn_later_new(void)
{
    struct ia_xn_later *later = calloc(1, sizeof(*later));
    if (later != NULL) {
        later->shares = 2;
    }
    return later;
}

static void give_up_share(struct ia_xn_later *later)
{
    if (__atomic_fetch_sub(&later->shares, 1, __ATOMIC_ACQ_REL) == 1) {
        [later->result release];
        [later->error release];
        free(later);
    }
}

void ia_xn_later_set(struct ia_xn_later *later, id result, NSError *error)
{
    later->result = [result retain];
    later->error = [error retain];
    __atomic_store_n(&later->set, 1, __ATOMIC_RELEASE);
    give_up_share(later);
}

enum { LATER_POLL_MS = 20, LATER_MS = 60000, LATER_SPARE_MS = 200 };

BOOL ia_xn_later_wait(struct ia_xn *n, struct ia_xn_later *later, id *ret_result)
{
    int64_t since = ia_bridge_now_us();
    BOOL done = NO;
    while (!is_set(later) && ia_xc_time_left(n->op, since, LATER_MS, LATER_SPARE_MS)) {
        ia_xc_sleep_ms(LATER_POLL_MS);
    }
    if (!is_set(later)) {
        ia_xc_fail(n->op, IA_WIRE_E_TIMEOUT, "%s: no answer in time", n->action->name);
    } else if (later->error != nil) {
        ia_xc_fail(n->op, IA_WIRE_E_DEVICE, "%s: %s", n->action->name,
                   ia_xc_utf8([later->error localizedDescription]));
    } else {
        *ret_result = [[later->result retain] autorelease];
        done = YES;
    }
    give_up_share(later);
    return done;
}

/* ---- the request ------------------------------------------------------------------------- */

static NSDictionary *service_row(const char *service, NSString *needs, const char *why)
{
    BOOL can = needs != nil && NSClassFromString(needs) != nil;
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"service", ia_xc_string(service));
    ia_xn_put(row, @"can", [NSNumber numberWithBool:can]);
    ia_xn_put(row, @"why", can ? nil : ia_xc_string(why));
    return row;
}

static BOOL device_services(struct ia_xn *n)
{
    NSMutableArray *rows = [NSMutableArray array];
    for (size_t i = 0; i < COUNTOF(services); i++) {
        [rows addObject:service_row(services[i].service, services[i].needs, services[i].why)];
    }
    [n->answer setObject:rows forKey:@"services"];
    return YES;
}

static NSDictionary *read_args(const char *json)
{
    NSData *data = [NSData dataWithBytes:json length:strlen(json)];
    id args = [NSJSONSerialization JSONObjectWithData:data options:0 error:NULL];
    return [args isKindOfClass:[NSDictionary class]] ? args : nil;
}

static void answer(struct ia_xn *n)
{
    NSData *json = [NSJSONSerialization dataWithJSONObject:n->answer options:0 error:NULL];
    if (json == nil || [json length] > IA_NATIVE_ANSWER_MAX) {
        ia_xc_fail(n->op, json == nil ? IA_WIRE_E_INTERNAL : IA_WIRE_E_LIMIT,
                   "%s: the answer has %zu bytes; at most %d are allowed", n->action->name,
                   (size_t)[json length], IA_NATIVE_ANSWER_MAX);
        return;
    }
    n->op->reply->u.native.answer =
        ia_wire_text(&n->op->reply->arena, [json bytes], [json length], IA_NATIVE_ANSWER_MAX);
    ia_xc_done(n->op);
}

static void refuse(struct ia_xn *n)
{
    const char *why = "this bridge does not perform it";
    for (size_t i = 0; i < COUNTOF(services); i++) {
        if (strcmp(services[i].service, n->action->service) == 0 && services[i].needs == nil) {
            why = services[i].why;
        }
    }
    ia_xc_fail(n->op, IA_WIRE_E_UNSUPPORTED, "%s: %s", n->action->name, why);
}

void ia_xc_native(struct ia_xc_op *op)
{
    const struct ia_wire_native *req = &op->req->u.native;
    struct ia_xn n = {.op = op,
                      .action = &ia_native_actions[req->action],
                      .args = read_args(req->args),
                      .answer = [NSMutableDictionary dictionary]};
    if (n.args == nil) {
        ia_xc_fail(op, IA_WIRE_E_USAGE, "%s: the arguments are not a JSON object",
                   n.action->name);
        return;
    }
    for (size_t i = 0; i < COUNTOF(table); i++) {
        if (table[i].action == req->action) {
            if (table[i].fn(&n)) {
                answer(&n);
            }
            return;
        }
    }
    refuse(&n);
}
