/* EventKit.h: the part that the bridge uses, as Apple declares it for iOS 15. */
#ifndef IA_APPLE_EVENTKIT_H
#define IA_APPLE_EVENTKIT_H

#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSUInteger, EKEntityType) { EKEntityTypeEvent, EKEntityTypeReminder };
typedef NS_ENUM(NSInteger, EKAuthorizationStatus) {
    EKAuthorizationStatusNotDetermined = 0,
    EKAuthorizationStatusRestricted,
    EKAuthorizationStatusDenied,
    EKAuthorizationStatusAuthorized
};
typedef NS_ENUM(NSInteger, EKSpan) { EKSpanThisEvent, EKSpanFutureEvents };

@class EKEventStore, EKSource;

@interface EKCalendar : NSObject
+ (EKCalendar *)calendarForEntityType:(EKEntityType)type eventStore:(EKEventStore *)store;
@property(null_unspecified, strong) EKSource *source;
@property(copy) NSString *title;
@end

@interface EKCalendarItem : NSObject
@property(null_unspecified, strong) EKCalendar *calendar;
@property(readonly) NSString *calendarItemIdentifier;
@property(null_unspecified, copy) NSString *title;
@property(nullable, copy) NSString *location;
@property(nullable, copy) NSString *notes;
@end

@interface EKEvent : EKCalendarItem
+ (EKEvent *)eventWithEventStore:(EKEventStore *)store;
@property(null_unspecified, readonly) NSString *eventIdentifier;
@property(getter=isAllDay) BOOL allDay;
@property(null_unspecified, copy) NSDate *startDate;
@property(null_unspecified, copy) NSDate *endDate;
@end

@interface EKReminder : EKCalendarItem
+ (EKReminder *)reminderWithEventStore:(EKEventStore *)store;
@property(nullable, copy) NSDateComponents *dueDateComponents;
@property(getter=isCompleted) BOOL completed;
@end

@interface EKEventStore : NSObject
+ (EKAuthorizationStatus)authorizationStatusForEntityType:(EKEntityType)type;
- (NSArray<EKCalendar *> *)calendarsForEntityType:(EKEntityType)type;
@property(nullable, readonly) EKCalendar *defaultCalendarForNewEvents;
- (nullable EKCalendar *)defaultCalendarForNewReminders;
- (BOOL)saveCalendar:(EKCalendar *)calendar
              commit:(BOOL)commit
               error:(NSError *_Nullable *_Nullable)error;
- (nullable EKCalendarItem *)calendarItemWithIdentifier:(NSString *)identifier;
- (BOOL)saveEvent:(EKEvent *)event
             span:(EKSpan)span
           commit:(BOOL)commit
            error:(NSError *_Nullable *_Nullable)error;
- (BOOL)removeEvent:(EKEvent *)event
               span:(EKSpan)span
             commit:(BOOL)commit
              error:(NSError *_Nullable *_Nullable)error;
- (nullable EKEvent *)eventWithIdentifier:(NSString *)identifier;
- (NSArray<EKEvent *> *)eventsMatchingPredicate:(NSPredicate *)predicate;
- (NSPredicate *)predicateForEventsWithStartDate:(NSDate *)start
                                         endDate:(NSDate *)end
                                       calendars:(nullable NSArray<EKCalendar *> *)calendars;
- (BOOL)saveReminder:(EKReminder *)reminder
              commit:(BOOL)commit
               error:(NSError *_Nullable *_Nullable)error;
- (id)fetchRemindersMatchingPredicate:(NSPredicate *)predicate
                           completion:
                               (void (^)(NSArray<EKReminder *> *_Nullable reminders))done;
- (NSPredicate *)predicateForRemindersInCalendars:(nullable NSArray<EKCalendar *> *)calendars;
@end

NS_ASSUME_NONNULL_END

#endif
