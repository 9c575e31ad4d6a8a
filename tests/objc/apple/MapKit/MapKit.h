/* MapKit.h: the part of CoreLocation and MapKit that the bridge uses, as Apple declares it for
 * iOS 15. */
#ifndef IA_APPLE_MAPKIT_H
#define IA_APPLE_MAPKIT_H

#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef double CLLocationDegrees;
typedef double CLLocationDistance;
typedef NS_ENUM(int, CLAuthorizationStatus) {
    kCLAuthorizationStatusNotDetermined = 0,
    kCLAuthorizationStatusRestricted,
    kCLAuthorizationStatusDenied,
    kCLAuthorizationStatusAuthorizedAlways,
    kCLAuthorizationStatusAuthorizedWhenInUse
};

@interface CLLocation : NSObject
- (instancetype)initWithLatitude:(CLLocationDegrees)latitude
                       longitude:(CLLocationDegrees)longitude;
- (CLLocationDistance)distanceFromLocation:(const CLLocation *)other;
@end

@interface CLLocationManager : NSObject
@property(readonly) CLAuthorizationStatus authorizationStatus;
@property(nullable, readonly, copy) CLLocation *location;
@end

@interface CLPlacemark : NSObject
@property(nullable, readonly, copy) CLLocation *location;
@property(nullable, readonly, copy) NSString *name;
@property(nullable, readonly, copy) NSString *thoroughfare;
@property(nullable, readonly, copy) NSString *subThoroughfare;
@property(nullable, readonly, copy) NSString *locality;
@property(nullable, readonly, copy) NSString *postalCode;
@property(nullable, readonly, copy) NSString *country;
@end

typedef void (^CLGeocodeCompletionHandler)(NSArray<CLPlacemark *> *_Nullable placemarks,
                                           NSError *_Nullable error);
@interface CLGeocoder : NSObject
- (void)reverseGeocodeLocation:(CLLocation *)location
             completionHandler:(CLGeocodeCompletionHandler)handler;
- (void)geocodeAddressString:(NSString *)address
           completionHandler:(CLGeocodeCompletionHandler)handler;
@end

@interface MKLocalSearchRequest : NSObject
@property(nullable, copy) NSString *naturalLanguageQuery;
@end

@interface MKMapItem : NSObject
@property(readonly) CLPlacemark *placemark;
@property(nullable, copy) NSString *name;
@end

@interface MKLocalSearchResponse : NSObject
@property(readonly) NSArray<MKMapItem *> *mapItems;
@end

typedef void (^MKLocalSearchCompletionHandler)(MKLocalSearchResponse *_Nullable response,
                                               NSError *_Nullable error);
@interface MKLocalSearch : NSObject
- (instancetype)initWithRequest:(MKLocalSearchRequest *)request;
- (void)startWithCompletionHandler:(MKLocalSearchCompletionHandler)handler;
@end

NS_ASSUME_NONNULL_END

#endif
