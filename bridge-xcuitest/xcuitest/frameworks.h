/* frameworks.h: what the native actions call of Apple's frameworks. The classes are looked up by
 * name, so these sources compile where a framework is missing.
 *
 * Source: Apple's documentation of each class. tests/objc/sdk_late.m compares selectors and types
 * with Apple's declarations. */
#ifndef IA_XCUITEST_FRAMEWORKS_H
#define IA_XCUITEST_FRAMEWORKS_H

#import <Foundation/Foundation.h>

/* The authorization statuses of EventKit, Contacts, Photos and CoreLocation agree in these. 4 is
 * write-only for EventKit, limited for Contacts and Photos, in use for CoreLocation. */
enum { IA_APPLE_AUTHORIZED = 3, IA_APPLE_LIMITED = 4 };
enum { IA_EK_EVENT = 0, IA_EK_REMINDER = 1, IA_EK_THIS_EVENT = 0 };
enum { IA_CN_CONTACTS = 0 };
enum {
    IA_PH_READ_WRITE = 2,
    IA_PH_IMAGE = 1,
    IA_PH_VIDEO = 2,
    IA_PH_ALBUM = 1,
    IA_PH_SMART_ALBUM = 2
};
#define IA_PH_ANY_SUBTYPE NSIntegerMax

/* ---- EventKit ---- */

@protocol IAEKCalendar
- (NSString *)title;
- (void)setTitle:(NSString *)title;
- (id)source;
- (void)setSource:(id)source;
@end
@protocol IAEKCalendarClass
- (id)calendarForEntityType:(NSUInteger)type eventStore:(id)store;
@end

@protocol IAEKItem
- (NSString *)calendarItemIdentifier;
- (NSString *)title;
- (void)setTitle:(NSString *)title;
- (NSString *)notes;
- (void)setNotes:(NSString *)notes;
- (NSString *)location;
- (void)setLocation:(NSString *)location;
- (id)calendar;
- (void)setCalendar:(id)calendar;
@end
@protocol IAEKEvent <IAEKItem>
- (NSString *)eventIdentifier;
- (NSDate *)startDate;
- (void)setStartDate:(NSDate *)date;
- (NSDate *)endDate;
- (void)setEndDate:(NSDate *)date;
- (BOOL)isAllDay;
- (void)setAllDay:(BOOL)allDay;
@end
@protocol IAEKEventClass
- (id)eventWithEventStore:(id)store;
@end
@protocol IAEKReminder <IAEKItem>
- (NSDateComponents *)dueDateComponents;
- (void)setDueDateComponents:(NSDateComponents *)components;
- (BOOL)isCompleted;
- (void)setCompleted:(BOOL)completed;
@end
@protocol IAEKReminderClass
- (id)reminderWithEventStore:(id)store;
@end

@protocol IAEKStoreClass
- (NSInteger)authorizationStatusForEntityType:(NSUInteger)type;
@end
@protocol IAEKStore
- (NSArray *)calendarsForEntityType:(NSUInteger)type;
- (id)defaultCalendarForNewEvents;
- (id)defaultCalendarForNewReminders;
- (NSPredicate *)predicateForEventsWithStartDate:(NSDate *)start
                                         endDate:(NSDate *)end
                                       calendars:(NSArray *)calendars;
- (NSArray *)eventsMatchingPredicate:(NSPredicate *)predicate;
- (id)eventWithIdentifier:(NSString *)identifier;
- (BOOL)saveEvent:(id)event span:(NSInteger)span commit:(BOOL)commit error:(NSError **)error;
- (BOOL)removeEvent:(id)event span:(NSInteger)span commit:(BOOL)commit error:(NSError **)error;
- (NSPredicate *)predicateForRemindersInCalendars:(NSArray *)calendars;
- (id)fetchRemindersMatchingPredicate:(NSPredicate *)predicate
                           completion:(void (^)(NSArray *reminders))completion;
- (id)calendarItemWithIdentifier:(NSString *)identifier;
- (BOOL)saveReminder:(id)reminder commit:(BOOL)commit error:(NSError **)error;
- (BOOL)saveCalendar:(id)calendar commit:(BOOL)commit error:(NSError **)error;
@end

/* ---- Contacts ---- */

@protocol IACNStoreClass
- (NSInteger)authorizationStatusForEntityType:(NSInteger)type;
@end
@protocol IACNStore
- (NSArray *)unifiedContactsMatchingPredicate:(NSPredicate *)predicate
                                  keysToFetch:(NSArray *)keys
                                        error:(NSError **)error;
- (BOOL)executeSaveRequest:(id)request error:(NSError **)error;
@end
@protocol IACNContact
- (NSString *)identifier;
- (NSString *)givenName;
- (NSString *)familyName;
- (NSArray *)phoneNumbers;
- (NSArray *)emailAddresses;
- (void)setGivenName:(NSString *)name;
- (void)setFamilyName:(NSString *)name;
- (void)setPhoneNumbers:(NSArray *)numbers;
- (void)setEmailAddresses:(NSArray *)addresses;
@end
@protocol IACNContactClass
- (NSPredicate *)predicateForContactsMatchingName:(NSString *)name;
- (NSPredicate *)predicateForContactsMatchingPhoneNumber:(id)number;
- (NSPredicate *)predicateForContactsMatchingEmailAddress:(NSString *)address;
@end
@protocol IACNLabeledValueClass
- (id)labeledValueWithLabel:(NSString *)label value:(id)value;
@end
@protocol IACNPhoneNumberClass
- (id)phoneNumberWithStringValue:(NSString *)text;
@end
@protocol IACNPhoneNumber
- (NSString *)stringValue;
@end
@protocol IACNSaveRequest
- (void)addContact:(id)contact toContainerWithIdentifier:(NSString *)identifier;
@end

/* ---- Photos ---- */

@protocol IAPHLibraryClass
- (NSInteger)authorizationStatusForAccessLevel:(NSInteger)level;
@end
@protocol IAPHFetchOptions
- (void)setPredicate:(NSPredicate *)predicate;
- (void)setSortDescriptors:(NSArray *)descriptors;
@end
@protocol IAPHFetchResult
- (NSUInteger)count;
- (id)objectAtIndex:(NSUInteger)index;
@end
@protocol IAPHAssetClass
- (id)fetchAssetsWithOptions:(id)options;
- (id)fetchAssetsInAssetCollection:(id)collection options:(id)options;
@end
@protocol IAPHAsset
- (NSString *)localIdentifier;
- (NSInteger)mediaType;
- (NSUInteger)pixelWidth;
- (NSUInteger)pixelHeight;
- (NSDate *)creationDate;
@end
@protocol IAPHCollectionClass
- (id)fetchAssetCollectionsWithType:(NSInteger)type
                            subtype:(NSInteger)subtype
                            options:(id)options;
@end
@protocol IAPHCollection
- (NSString *)localizedTitle;
@end
@protocol IAPHResourceClass
- (NSArray *)assetResourcesForAsset:(id)asset;
@end
@protocol IAPHResource
- (NSString *)originalFilename;
@end

/* ---- CoreLocation and MapKit ---- */

/* CLLocationCoordinate2D */
struct ia_coordinate {
    double latitude, longitude;
};
@protocol IACLManager
- (int)authorizationStatus; /* CLAuthorizationStatus is an int */
- (id)location;
@end
@protocol IACLLocation
- (id)initWithLatitude:(double)latitude longitude:(double)longitude;
- (struct ia_coordinate)coordinate;
- (double)distanceFromLocation:(id)other;
@end
@protocol IACLGeocoder
- (void)geocodeAddressString:(NSString *)address
           completionHandler:(void (^)(NSArray *placemarks, NSError *error))handler;
- (void)reverseGeocodeLocation:(id)location
             completionHandler:(void (^)(NSArray *placemarks, NSError *error))handler;
@end
@protocol IACLPlacemark
- (id)location;
- (NSString *)name;
- (NSString *)thoroughfare;
- (NSString *)subThoroughfare;
- (NSString *)postalCode;
- (NSString *)locality;
- (NSString *)country;
@end
@protocol IAMKSearchRequest
- (void)setNaturalLanguageQuery:(NSString *)query;
@end
@protocol IAMKSearch
- (id)initWithRequest:(id)request;
- (void)startWithCompletionHandler:(void (^)(id response, NSError *error))handler;
@end
@protocol IAMKSearchResponse
- (NSArray *)mapItems;
@end
@protocol IAMKMapItem
- (NSString *)name;
- (id)placemark;
@end

#endif
