/* native_places.m: where the phone is, addresses and places, by CoreLocation and MapKit. Addresses
 * and places are looked up by Apple's servers. */
#import "native.h"

#import "frameworks.h"

#include <stdlib.h>

static void put_coordinate(NSMutableDictionary *row, id<IACLLocation> location)
{
    if (location != nil) {
        struct ia_coordinate at = [location coordinate];
        ia_xn_put(row, @"latitude", [NSNumber numberWithDouble:at.latitude]);
        ia_xn_put(row, @"longitude", [NSNumber numberWithDouble:at.longitude]);
    }
}

/* "1 Infinite Loop, 95014 Cupertino, United States" */
static NSString *address_of(id<IACLPlacemark> place)
{
    NSString *const parts[][2] = {{[place subThoroughfare], [place thoroughfare]},
                                  {[place postalCode], [place locality]},
                                  {[place country], nil}};
    NSMutableArray *lines = [NSMutableArray array];
    for (NSUInteger i = 0; i < 3; i++) {
        NSMutableArray *words = [NSMutableArray array];
        for (NSUInteger k = 0; k < 2; k++) {
            if ([parts[i][k] length] > 0) {
                [words addObject:parts[i][k]];
            }
        }
        if ([words count] > 0) {
            [lines addObject:[words componentsJoinedByString:@" "]];
        }
    }
    return [lines componentsJoinedByString:@", "];
}

static NSDictionary *place_row(id item)
{
    id<IACLPlacemark> place = item;
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"name", [place name]);
    ia_xn_put(row, @"address", address_of(place));
    put_coordinate(row, [place location]);
    return row;
}

/* Given as a pair; nil without one. */
static id<IACLLocation> given_location(struct ia_xn *n)
{
    NSNumber *latitude = ia_xn_number(n, @"latitude");
    NSNumber *longitude = ia_xn_number(n, @"longitude");
    id class = NSClassFromString(@"CLLocation");
    if (latitude == nil || longitude == nil) {
        return nil;
    }
    id location = [(id<IACLLocation>)[class alloc] initWithLatitude:[latitude doubleValue]
                                                          longitude:[longitude doubleValue]];
    return [location autorelease];
}

BOOL ia_xn_location_here(struct ia_xn *n)
{
    id class = ia_xn_class(n, @"CLLocationManager");
    id<IACLManager> manager = [[[class alloc] init] autorelease];
    if (class == nil || !ia_xn_allowed(n, "location", [manager authorizationStatus], YES)) {
        return NO;
    }
    if ([manager location] == nil) {
        return ia_xn_not_found(n, @"location yet; set one with `simctl location`");
    }
    put_coordinate(n->answer, [manager location]);
    return YES;
}

/* Starts a look-up whose block calls ia_xn_later_set. */
typedef void start_fn(struct ia_xn *n, id service, struct ia_xn_later *later);

static BOOL look_up(struct ia_xn *n, NSString *class_name, start_fn *start, id *ret)
{
    id class = ia_xn_class(n, class_name);
    struct ia_xn_later *later = class != nil ? ia_xn_later_new() : NULL;
    if (later == NULL) {
        if (class != nil) {
            ia_xc_fail(n->op, IA_WIRE_E_MEMORY, "out of memory");
        }
        return NO;
    }
    id service = [class alloc];
    start(n, service, later);
    return ia_xn_later_wait(n, later, ret);
}

static void geocode(struct ia_xn *n, id service, struct ia_xn_later *later)
{
    id<IACLGeocoder> geocoder = [[service init] autorelease];
    [geocoder geocodeAddressString:ia_xn_text(n, @"query")
                 completionHandler:^(NSArray *placemarks, NSError *error) {
                   ia_xn_later_set(later, placemarks, error);
                 }];
}

static void reverse(struct ia_xn *n, id service, struct ia_xn_later *later)
{
    id<IACLGeocoder> geocoder = [[service init] autorelease];
    [geocoder reverseGeocodeLocation:given_location(n)
                   completionHandler:^(NSArray *placemarks, NSError *error) {
                     ia_xn_later_set(later, placemarks, error);
                   }];
}

static BOOL placemarks(struct ia_xn *n, start_fn *start)
{
    id found = nil;
    if (!look_up(n, @"CLGeocoder", start, &found)) {
        return NO;
    }
    ia_xn_put_list(n, @"places", found, place_row);
    return YES;
}

BOOL ia_xn_location_geocode(struct ia_xn *n)
{
    return placemarks(n, geocode);
}

BOOL ia_xn_location_reverse(struct ia_xn *n)
{
    return placemarks(n, reverse);
}

static void search(struct ia_xn *n, id service, struct ia_xn_later *later)
{
    id class = NSClassFromString(@"MKLocalSearchRequest");
    id<IAMKSearchRequest> request = [[[class alloc] init] autorelease];
    [request setNaturalLanguageQuery:ia_xn_text(n, @"query")];
    id local = [(id<IAMKSearch>)service initWithRequest:request];
    [(id<IAMKSearch>)[local autorelease]
        startWithCompletionHandler:^(id response, NSError *error) {
          ia_xn_later_set(later, [(id<IAMKSearchResponse>)response mapItems], error);
        }];
}

static NSDictionary *item_row(id item)
{
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    id<IACLPlacemark> place = [(id<IAMKMapItem>)item placemark];
    ia_xn_put(row, @"name", [(id<IAMKMapItem>)item name]);
    ia_xn_put(row, @"address", address_of(place));
    put_coordinate(row, [place location]);
    return row;
}

static double metres_from(id<IACLLocation> from, id item)
{
    id location = [(id<IACLPlacemark>)[(id<IAMKMapItem>)item placemark] location];
    return location != nil ? [from distanceFromLocation:location] : 0;
}

static NSComparisonResult nearer(id a, id b, void *from)
{
    double x = metres_from(from, a), y = metres_from(from, b);
    return x < y ? NSOrderedAscending : x > y ? NSOrderedDescending : NSOrderedSame;
}

BOOL ia_xn_location_search(struct ia_xn *n)
{
    id found = nil;
    id<IACLLocation> from = given_location(n);
    if (!look_up(n, @"MKLocalSearch", search, &found)) {
        return NO;
    }
    if (from != nil) {
        found = [found sortedArrayUsingFunction:nearer context:(void *)from];
    }
    ia_xn_put_list(n, @"places", found, item_row);
    NSUInteger i = 0;
    for (NSMutableDictionary *row in [n->answer objectForKey:@"places"]) {
        if (from != nil) {
            double metres = metres_from(from, [found objectAtIndex:i++]);
            ia_xn_put(row, @"metres", [NSNumber numberWithLong:(long)metres]);
        }
    }
    return YES;
}
