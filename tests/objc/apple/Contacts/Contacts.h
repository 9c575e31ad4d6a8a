/* Contacts.h: the part that the bridge uses, as Apple declares it for iOS 15. */
#ifndef IA_APPLE_CONTACTS_H
#define IA_APPLE_CONTACTS_H

#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, CNEntityType) { CNEntityTypeContacts };
typedef NS_ENUM(NSInteger, CNAuthorizationStatus) {
    CNAuthorizationStatusNotDetermined = 0,
    CNAuthorizationStatusRestricted,
    CNAuthorizationStatusDenied,
    CNAuthorizationStatusAuthorized
};

@protocol CNKeyDescriptor <NSObject>
@end
@interface NSString (Contacts) <CNKeyDescriptor>
@end

@interface CNPhoneNumber : NSObject
+ (nullable instancetype)phoneNumberWithStringValue:(NSString *)text;
@property(readonly, copy) NSString *stringValue;
@end

@interface CNLabeledValue<__covariant T> : NSObject
+ (instancetype)labeledValueWithLabel:(nullable NSString *)label value:(T)value;
@property(readonly, copy) T value;
@end

@interface CNContact : NSObject
@property(readonly, copy) NSString *identifier;
@property(readonly, copy) NSString *givenName;
@property(readonly, copy) NSString *familyName;
@property(readonly, copy) NSArray<CNLabeledValue<CNPhoneNumber *> *> *phoneNumbers;
@property(readonly, copy) NSArray<CNLabeledValue<NSString *> *> *emailAddresses;
@end
@interface CNContact (Predicates)
+ (NSPredicate *)predicateForContactsMatchingName:(NSString *)name;
+ (NSPredicate *)predicateForContactsMatchingEmailAddress:(NSString *)address;
+ (NSPredicate *)predicateForContactsMatchingPhoneNumber:(CNPhoneNumber *)number;
@end

@interface CNMutableContact : CNContact
@property(copy) NSString *givenName;
@property(copy) NSString *familyName;
@property(copy) NSArray<CNLabeledValue<CNPhoneNumber *> *> *phoneNumbers;
@property(copy) NSArray<CNLabeledValue<NSString *> *> *emailAddresses;
@end

@interface CNSaveRequest : NSObject
- (void)addContact:(CNMutableContact *)contact
    toContainerWithIdentifier:(nullable NSString *)identifier;
@end

@interface CNContactStore : NSObject
+ (CNAuthorizationStatus)authorizationStatusForEntityType:(CNEntityType)type;
- (nullable NSArray<CNContact *> *)
    unifiedContactsMatchingPredicate:(NSPredicate *)predicate
                         keysToFetch:(NSArray<id<CNKeyDescriptor>> *)keys
                               error:(NSError *_Nullable *_Nullable)error;
- (BOOL)executeSaveRequest:(CNSaveRequest *)request error:(NSError *_Nullable *_Nullable)error;
@end

NS_ASSUME_NONNULL_END

#endif
