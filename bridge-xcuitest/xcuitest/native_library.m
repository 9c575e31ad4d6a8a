/* native_library.m: contacts and photos, by Contacts and Photos. */
#import "native.h"

#import "frameworks.h"

enum { DAY_S = 86400 };

/* ---- contacts ---------------------------------------------------------------------------- */

static id<IACNStore> open_contacts(struct ia_xn *n)
{
    id class = ia_xn_class(n, @"CNContactStore");
    if (class == nil ||
        !ia_xn_allowed(
            n, "contacts",
            [(id<IACNStoreClass>)class authorizationStatusForEntityType:IA_CN_CONTACTS], YES)) {
        return nil;
    }
    return [[[class alloc] init] autorelease];
}

static id first_value(NSArray *labeled)
{
    return [labeled count] > 0 ? [[labeled objectAtIndex:0] valueForKey:@"value"] : nil;
}

static NSDictionary *contact_row(id item)
{
    id<IACNContact> contact = item;
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"id", [contact identifier]);
    ia_xn_put(row, @"first", [contact givenName]);
    ia_xn_put(row, @"last", [contact familyName]);
    ia_xn_put(row, @"phone",
              [(id<IACNPhoneNumber>)first_value([contact phoneNumbers]) stringValue]);
    ia_xn_put(row, @"email", first_value([contact emailAddresses]));
    return row;
}

/* The three ways to look somebody up, of which Apple has a predicate each. */
static NSArray *predicates(id<IACNContactClass> class, NSString *query)
{
    id<IACNPhoneNumberClass> number = (id)NSClassFromString(@"CNPhoneNumber");
    NSMutableArray *list = [NSMutableArray array];
    [list addObject:[class predicateForContactsMatchingName:query]];
    [list addObject:[class predicateForContactsMatchingEmailAddress:query]];
    if (number != nil) {
        [list addObject:[class predicateForContactsMatchingPhoneNumber:
                                   [number phoneNumberWithStringValue:query]]];
    }
    return list;
}

static BOOL lists(NSArray *contacts, NSString *identifier)
{
    for (id<IACNContact> c in contacts) {
        if ([[c identifier] isEqualToString:identifier]) {
            return YES;
        }
    }
    return NO;
}

BOOL ia_xn_contact_search(struct ia_xn *n)
{
    id<IACNStore> store = open_contacts(n);
    id<IACNContactClass> class = store != nil ? ia_xn_class(n, @"CNContact") : nil;
    NSArray *keys = [NSArray arrayWithObjects:@"identifier", @"givenName", @"familyName",
                                              @"phoneNumbers", @"emailAddresses", nil];
    NSMutableArray *found = [NSMutableArray array];
    NSError *error = nil;
    if (class == nil) {
        return NO;
    }
    for (NSPredicate *predicate in predicates(class, ia_xn_text(n, @"query"))) {
        NSArray *some = [store unifiedContactsMatchingPredicate:predicate
                                                    keysToFetch:keys
                                                          error:&error];
        if (!ia_xn_saved(n, some != nil, error)) {
            return NO;
        }
        for (id<IACNContact> contact in some) {
            if (!lists(found, [contact identifier])) {
                [found addObject:contact];
            }
        }
    }
    ia_xn_put_list(n, @"contacts", found, contact_row);
    return YES;
}

static NSArray *labeled(NSString *label, id value)
{
    id<IACNLabeledValueClass> class = (id)NSClassFromString(@"CNLabeledValue");
    return [NSArray arrayWithObjects:[class labeledValueWithLabel:label value:value], nil];
}

static void fill_contact(struct ia_xn *n, id<IACNContact> contact)
{
    id<IACNPhoneNumberClass> number = (id)NSClassFromString(@"CNPhoneNumber");
    NSString *first = ia_xn_text(n, @"first"), *last = ia_xn_text(n, @"last");
    NSString *phone = ia_xn_text(n, @"phone"), *email = ia_xn_text(n, @"email");
    [contact setGivenName:first != nil ? first : @""];
    [contact setFamilyName:last != nil ? last : @""];
    if (phone != nil) {
        [contact setPhoneNumbers:labeled(@"mobile", [number phoneNumberWithStringValue:phone])];
    }
    if (email != nil) {
        [contact setEmailAddresses:labeled(@"home", email)];
    }
}

BOOL ia_xn_contact_create(struct ia_xn *n)
{
    NSError *error = nil;
    id<IACNStore> store = open_contacts(n);
    id contacts = store != nil ? ia_xn_class(n, @"CNMutableContact") : nil;
    id requests = contacts != nil ? ia_xn_class(n, @"CNSaveRequest") : nil;
    if (requests == nil) {
        return NO;
    }
    if ([n->args count] == 0) {
        ia_xc_fail(n->op, IA_WIRE_E_USAGE, "%s: a contact needs a name, a number or an address",
                   n->action->name);
        return NO;
    }
    id<IACNContact> contact = [[[contacts alloc] init] autorelease];
    id<IACNSaveRequest> request = [[[requests alloc] init] autorelease];
    fill_contact(n, contact);
    [request addContact:contact toContainerWithIdentifier:nil];
    if (!ia_xc_send(n->op) ||
        !ia_xn_saved(n, [store executeSaveRequest:request error:&error], error)) {
        return NO;
    }
    [n->answer setObject:contact_row(contact) forKey:@"contact"];
    return YES;
}

/* ---- photos ------------------------------------------------------------------------------ */

static BOOL photos_allowed(struct ia_xn *n)
{
    id<IAPHLibraryClass> class = ia_xn_class(n, @"PHPhotoLibrary");
    return class != nil &&
           ia_xn_allowed(n, "photos",
                         [class authorizationStatusForAccessLevel:IA_PH_READ_WRITE], YES);
}

/* Albums of the user, then those that iOS fills. */
static NSArray *albums(void)
{
    static const NSInteger types[] = {IA_PH_ALBUM, IA_PH_SMART_ALBUM};
    id<IAPHCollectionClass> class = (id)NSClassFromString(@"PHAssetCollection");
    NSMutableArray *all = [NSMutableArray array];
    for (NSUInteger t = 0; t < 2; t++) {
        id<IAPHFetchResult> found = [class fetchAssetCollectionsWithType:types[t]
                                                                 subtype:IA_PH_ANY_SUBTYPE
                                                                 options:nil];
        for (NSUInteger i = 0; i < [found count]; i++) {
            [all addObject:[found objectAtIndex:i]];
        }
    }
    return all;
}

static NSDictionary *album_row(id album)
{
    id<IAPHAssetClass> assets = (id)NSClassFromString(@"PHAsset");
    NSUInteger count = [(id<IAPHFetchResult>)[assets fetchAssetsInAssetCollection:album
                                                                          options:nil] count];
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"album", [(id<IAPHCollection>)album localizedTitle]);
    ia_xn_put(row, @"count", [NSNumber numberWithUnsignedInteger:count]);
    return row;
}

BOOL ia_xn_photo_albums(struct ia_xn *n)
{
    if (!photos_allowed(n)) {
        return NO;
    }
    ia_xn_put_list(n, @"albums", albums(), album_row);
    return YES;
}

static NSDictionary *photo_row(id item)
{
    id<IAPHAsset> photo = item;
    id<IAPHResourceClass> resources = (id)NSClassFromString(@"PHAssetResource");
    NSArray *files = [resources assetResourcesForAsset:photo];
    NSMutableDictionary *row = [NSMutableDictionary dictionary];
    ia_xn_put(row, @"id", [photo localIdentifier]);
    ia_xn_put(row, @"name",
              [files count] > 0 ? [(id<IAPHResource>)[files objectAtIndex:0] originalFilename]
                                : nil);
    ia_xn_put(row, @"kind", [photo mediaType] == IA_PH_VIDEO ? @"video" : @"photo");
    ia_xn_put(row, @"taken", ia_xn_time_text([photo creationDate], NO));
    ia_xn_put(row, @"width", [NSNumber numberWithUnsignedInteger:[photo pixelWidth]]);
    ia_xn_put(row, @"height", [NSNumber numberWithUnsignedInteger:[photo pixelHeight]]);
    return row;
}

/* Days and kind as a predicate of Photos; nil: all. */
static NSPredicate *photo_filter(struct ia_xn *n)
{
    NSMutableArray *parts = [NSMutableArray array];
    NSDate *from = ia_xn_time(n, @"from", NULL), *to = ia_xn_time(n, @"to", NULL);
    NSString *kind = ia_xn_text(n, @"kind");
    if (from != nil) {
        [parts addObject:[NSPredicate predicateWithFormat:@"creationDate >= %@", from]];
    }
    if (to != nil) {
        NSDate *end = [to dateByAddingTimeInterval:DAY_S];
        [parts addObject:[NSPredicate predicateWithFormat:@"creationDate < %@", end]];
    }
    if (kind != nil) {
        int type = [kind isEqualToString:@"video"] ? IA_PH_VIDEO : IA_PH_IMAGE;
        [parts addObject:[NSPredicate predicateWithFormat:@"mediaType == %d", type]];
    }
    return [parts count] > 0 ? [NSCompoundPredicate andPredicateWithSubpredicates:parts] : nil;
}

static id photo_options(struct ia_xn *n)
{
    id class = NSClassFromString(@"PHFetchOptions");
    id<IAPHFetchOptions> options = [[[class alloc] init] autorelease];
    [options setPredicate:photo_filter(n)];
    [options
        setSortDescriptors:[NSArray arrayWithObjects:[NSSortDescriptor
                                                         sortDescriptorWithKey:@"creationDate"
                                                                     ascending:NO],
                                                     nil]];
    return options;
}

/* nil: the reply says that there is no such album. */
static id find_album(struct ia_xn *n, NSString *name)
{
    for (id<IAPHCollection> album in albums()) {
        if ([[album localizedTitle] isEqualToString:name]) {
            return album;
        }
    }
    (void)ia_xn_not_found(n, [NSString stringWithFormat:@"album '%@'", name]);
    return nil;
}

BOOL ia_xn_photo_search(struct ia_xn *n)
{
    NSString *kind = ia_xn_text(n, @"kind"), *album = ia_xn_text(n, @"album");
    id<IAPHAssetClass> assets = (id)NSClassFromString(@"PHAsset");
    if (!photos_allowed(n)) {
        return NO;
    }
    if (kind != nil && ![kind isEqualToString:@"photo"] && ![kind isEqualToString:@"video"]) {
        ia_xc_fail(n->op, IA_WIRE_E_USAGE, "%s: kind is photo or video", n->action->name);
        return NO;
    }
    id in = album != nil ? find_album(n, album) : nil;
    if (album != nil && in == nil) {
        return NO;
    }
    id<IAPHFetchResult> found =
        in != nil ? [assets fetchAssetsInAssetCollection:in options:photo_options(n)]
                  : [assets fetchAssetsWithOptions:photo_options(n)];
    /* Each asset is read from the library's database: only what the answer has room for. */
    NSUInteger all = [found count],
               some = all < IA_NATIVE_ITEMS_MAX ? all : IA_NATIVE_ITEMS_MAX;
    NSMutableArray *photos = [NSMutableArray array];
    for (NSUInteger i = 0; i < some; i++) {
        [photos addObject:[found objectAtIndex:i]];
    }
    ia_xn_put_list(n, @"photos", photos, photo_row);
    if (all > some) {
        [n->answer setObject:[NSNumber numberWithUnsignedInteger:all - some] forKey:@"more"];
    }
    return YES;
}
