/* frameworks_places.m: CoreLocation and MapKit. */
#import "stub/frameworks_stub.h"

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
    return (int)StubStatus("location");
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
    handler(known ? found : nil, known ? nil : StubRefusal());
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
