/* frameworks_library.m: Contacts and Photos. */
#import "stub/frameworks_stub.h"

static NSMutableArray *contacts;

/* ---- Contacts ---------------------------------------------------------------------------- */

@interface CNPhoneNumber : StubObject
@end
@implementation CNPhoneNumber
+ (id)phoneNumberWithStringValue:(NSString *)text
{
    return [self withValues:[NSDictionary dictionaryWithObject:text forKey:@"text"]];
}
- (NSString *)stringValue
{
    return [self get:@"text"];
}
@end

@interface CNLabeledValue : StubObject
@end
@implementation CNLabeledValue
+ (id)labeledValueWithLabel:(NSString *)label value:(id)value
{
    return [self withValues:[NSDictionary dictionaryWithObjectsAndKeys:label, @"label", value,
                                                                       @"value", nil]];
}
- (id)value
{
    return [self get:@"value"];
}
@end

@interface CNContact : StubObject
@end
@implementation CNContact
TEXT(identifier, setIdentifier)
TEXT(givenName, setGivenName)
TEXT(familyName, setFamilyName)
OBJECT(NSArray *, phoneNumbers, setPhoneNumbers)
OBJECT(NSArray *, emailAddresses, setEmailAddresses)
+ (NSPredicate *)predicateForContactsMatchingName:(NSString *)name
{
    return [NSPredicate
        predicateWithFormat:@"givenName CONTAINS[c] %@ OR familyName CONTAINS[c] %@", name,
                            name];
}
+ (NSPredicate *)predicateForContactsMatchingPhoneNumber:(CNPhoneNumber *)number
{
    return [NSPredicate predicateWithFormat:@"firstPhone == %@", [number stringValue]];
}
+ (NSPredicate *)predicateForContactsMatchingEmailAddress:(NSString *)address
{
    return [NSPredicate predicateWithFormat:@"firstEmail == %@", address];
}
- (NSString *)firstPhone
{
    NSArray *all = [self phoneNumbers];
    return [all count] > 0 ? [[[all objectAtIndex:0] value] stringValue] : @"";
}
- (NSString *)firstEmail
{
    NSArray *all = [self emailAddresses];
    return [all count] > 0 ? [[all objectAtIndex:0] value] : @"";
}
@end

@interface CNMutableContact : CNContact
@end
@implementation CNMutableContact
- (id)init
{
    self = [super init];
    [self put:StubNewId(@"contact") as:@"identifier"];
    return self;
}
@end

@interface CNSaveRequest : StubObject
@end
@implementation CNSaveRequest
- (void)addContact:(id)contact toContainerWithIdentifier:(NSString *)identifier
{
    [self put:identifier == nil ? contact : nil as:@"contact"];
}
@end

@interface CNContactStore : NSObject
@end
@implementation CNContactStore

+ (void)initialize
{
    if (contacts == nil) {
        contacts = [[NSMutableArray alloc] init];
    }
}

+ (NSInteger)authorizationStatusForEntityType:(NSInteger)type
{
    return type == IA_CN_CONTACTS ? StubStatus("contacts") : 0;
}

- (NSArray *)unifiedContactsMatchingPredicate:(NSPredicate *)predicate
                                  keysToFetch:(NSArray *)keys
                                        error:(NSError **)error
{
    (void)error;
    return [keys containsObject:@"givenName"] ? [contacts filteredArrayUsingPredicate:predicate]
                                              : nil;
}

- (BOOL)executeSaveRequest:(CNSaveRequest *)request error:(NSError **)error
{
    return StubSave(contacts, [request get:@"contact"], error);
}

@end

/* ---- Photos ------------------------------------------------------------------------------ */

@interface PHPhotoLibrary : NSObject
@end
@implementation PHPhotoLibrary
+ (NSInteger)authorizationStatusForAccessLevel:(NSInteger)level
{
    return level == IA_PH_READ_WRITE ? StubStatus("photos") : 0;
}
@end

@interface PHFetchOptions : StubObject
@end
@implementation PHFetchOptions
OBJECT(NSPredicate *, predicate, setPredicate)
OBJECT(NSArray *, sortDescriptors, setSortDescriptors)
@end

@interface PHFetchResult : StubObject
@end
@implementation PHFetchResult
- (NSUInteger)count
{
    return [[self get:@"items"] count];
}
- (id)objectAtIndex:(NSUInteger)index
{
    return [[self get:@"items"] objectAtIndex:index];
}
@end

static id result_of(NSArray *items)
{
    return [PHFetchResult withValues:[NSDictionary dictionaryWithObject:items forKey:@"items"]];
}

@interface PHAssetCollection : StubObject
@end
@implementation PHAssetCollection
TEXT(localizedTitle, setLocalizedTitle)
+ (id)fetchAssetCollectionsWithType:(NSInteger)type
                            subtype:(NSInteger)subtype
                            options:(id)options
{
    NSString *name = type == IA_PH_ALBUM ? @"Holidays" : @"Videos";
    (void)options;
    return result_of(
        subtype == IA_PH_ANY_SUBTYPE
            ? [NSArray
                  arrayWithObject:[self withValues:[NSDictionary
                                                       dictionaryWithObject:name
                                                                     forKey:@"localizedTitle"]]]
            : [NSArray array]);
}
@end

enum { PHOTOS = 60, FILMS_EVERY = 10 }; /* every tenth is a film; one a day from 2025-01-01 */

@interface PHAsset : StubObject
@end
@implementation PHAsset
- (NSString *)localIdentifier
{
    return [self get:@"id"];
}
- (NSInteger)mediaType
{
    return [[self get:@"type"] integerValue];
}
- (NSUInteger)pixelWidth
{
    return 4032;
}
- (NSUInteger)pixelHeight
{
    return 3024;
}
OBJECT(NSDate *, creationDate, setCreationDate)
+ (NSArray *)all
{
    NSMutableArray *all = [NSMutableArray array];
    for (int i = 0; i < PHOTOS; i++) {
        int type = i % FILMS_EVERY == 0 ? IA_PH_VIDEO : IA_PH_IMAGE;
        NSDate *taken = [NSDate dateWithTimeIntervalSince1970:1735732800 + i * 86400];
        PHAsset *asset = [self
            withValues:[NSDictionary
                           dictionaryWithObjectsAndKeys:[NSString stringWithFormat:@"P%d", i],
                                                        @"id", [NSNumber numberWithInt:type],
                                                        @"type", taken, @"creationDate", nil]];
        [asset put:[NSNumber numberWithInt:type] as:@"mediaType"];
        [all addObject:asset];
    }
    return all;
}
+ (id)fetchAssetsWithOptions:(PHFetchOptions *)options
{
    NSArray *all = [self all];
    NSPredicate *predicate = [options predicate];
    all = predicate != nil ? [all filteredArrayUsingPredicate:predicate] : all;
    return result_of([all sortedArrayUsingDescriptors:[options sortDescriptors]]);
}
+ (id)fetchAssetsInAssetCollection:(PHAssetCollection *)album options:(PHFetchOptions *)options
{
    NSString *type = [[album localizedTitle] isEqualToString:@"Videos"] ? @"mediaType == 2"
                                                                        : @"mediaType == 1";
    NSArray *all =
        [[self all] filteredArrayUsingPredicate:[NSPredicate predicateWithFormat:type]];
    NSPredicate *predicate = [options predicate];
    return result_of(predicate != nil ? [all filteredArrayUsingPredicate:predicate] : all);
}
@end

@interface PHAssetResource : StubObject
@end
@implementation PHAssetResource
TEXT(originalFilename, setOriginalFilename)
+ (NSArray *)assetResourcesForAsset:(PHAsset *)asset
{
    NSString *name = [NSString stringWithFormat:@"IMG_%@.HEIC", [asset localIdentifier]];
    return [NSArray
        arrayWithObject:[self withValues:[NSDictionary
                                             dictionaryWithObject:name
                                                           forKey:@"originalFilename"]]];
}
@end

void StubContactsEnd(void)
{
    [contacts release];
    contacts = nil;
}
