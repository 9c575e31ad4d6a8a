/* sdk_late.m: what late_binding.h and frameworks.h declare of Apple's public methods has Apple's types. A message to
 * an object of any class makes the compiler compare all declarations of its selector; those of two
 * types are a warning. */
#import <Contacts/Contacts.h>
#import <EventKit/EventKit.h>
#import <MapKit/MapKit.h>
#import <Photos/Photos.h>
#import <XCTest/XCTest.h>

#import "frameworks.h"
#import "late_binding.h"

#ifdef PLANT
@protocol IAPlanted
- (double)planted;
@end
@protocol IAPlantedOther
- (int)planted;
@end
#endif

void ia_late(id any);

void ia_late(id any)
{
    (void)[any performAccessibilityAuditWithAuditTypes:0 issueHandler:nil error:NULL];
    (void)[any element];
    (void)[any compactDescription];
    (void)[any detailedDescription];
    (void)[any auditType];
    (void)[any appearance];
    [any setAppearance:0];
    (void)[any system];
#ifdef PLANT
    (void)[any planted];
#endif
}

/* `coordinate` is left out: its structure has another name here, and the same members. */
void ia_frameworks(id any);

void ia_frameworks(id any)
{
    (void)[any title];
    [any setTitle:any];
    (void)[any source];
    [any setSource:any];
    (void)[any calendarForEntityType:0 eventStore:any];
    (void)[any calendarItemIdentifier];
    (void)[any notes];
    [any setNotes:any];
    (void)[any location];
    [any setLocation:any];
    (void)[any calendar];
    [any setCalendar:any];
    (void)[any eventIdentifier];
    (void)[any startDate];
    [any setStartDate:any];
    (void)[any endDate];
    [any setEndDate:any];
    (void)[any isAllDay];
    [any setAllDay:0];
    (void)[any eventWithEventStore:any];
    (void)[any dueDateComponents];
    [any setDueDateComponents:any];
    (void)[any isCompleted];
    [any setCompleted:0];
    (void)[any reminderWithEventStore:any];
    (void)[any authorizationStatusForEntityType:0];
    (void)[any calendarsForEntityType:0];
    (void)[any defaultCalendarForNewEvents];
    (void)[any defaultCalendarForNewReminders];
    (void)[any predicateForEventsWithStartDate:any endDate:any calendars:any];
    (void)[any eventsMatchingPredicate:any];
    (void)[any eventWithIdentifier:any];
    (void)[any saveEvent:any span:0 commit:0 error:NULL];
    (void)[any removeEvent:any span:0 commit:0 error:NULL];
    (void)[any predicateForRemindersInCalendars:any];
    (void)[any fetchRemindersMatchingPredicate:any completion:any];
    (void)[any calendarItemWithIdentifier:any];
    (void)[any saveReminder:any commit:0 error:NULL];
    (void)[any saveCalendar:any commit:0 error:NULL];
    (void)[any unifiedContactsMatchingPredicate:any keysToFetch:any error:NULL];
    (void)[any executeSaveRequest:any error:NULL];
    (void)[any identifier];
    (void)[any givenName];
    (void)[any familyName];
    (void)[any phoneNumbers];
    (void)[any emailAddresses];
    [any setGivenName:any];
    [any setFamilyName:any];
    [any setPhoneNumbers:any];
    [any setEmailAddresses:any];
    (void)[any predicateForContactsMatchingName:any];
    (void)[any predicateForContactsMatchingPhoneNumber:any];
    (void)[any predicateForContactsMatchingEmailAddress:any];
    (void)[any labeledValueWithLabel:any value:any];
    (void)[any phoneNumberWithStringValue:any];
    (void)[any stringValue];
    [any addContact:any toContainerWithIdentifier:any];
    (void)[any authorizationStatusForAccessLevel:0];
    [any setPredicate:any];
    [any setSortDescriptors:any];
    (void)[any count];
    (void)[any objectAtIndex:0];
    (void)[any fetchAssetsWithOptions:any];
    (void)[any fetchAssetsInAssetCollection:any options:any];
    (void)[any localIdentifier];
    (void)[any mediaType];
    (void)[any pixelWidth];
    (void)[any pixelHeight];
    (void)[any creationDate];
    (void)[any fetchAssetCollectionsWithType:0 subtype:0 options:any];
    (void)[any localizedTitle];
    (void)[any assetResourcesForAsset:any];
    (void)[any originalFilename];
    (void)[any authorizationStatus];
    (void)[any initWithLatitude:0 longitude:0];
    (void)[any distanceFromLocation:any];
    [any geocodeAddressString:any completionHandler:any];
    [any reverseGeocodeLocation:any completionHandler:any];
    (void)[any name];
    (void)[any thoroughfare];
    (void)[any subThoroughfare];
    (void)[any postalCode];
    (void)[any locality];
    (void)[any country];
    [any setNaturalLanguageQuery:any];
    (void)[any initWithRequest:any];
    [any startWithCompletionHandler:any];
    (void)[any mapItems];
    (void)[any placemark];
}
