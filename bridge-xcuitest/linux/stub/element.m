/* element.m: queries and elements. As in XCTest nothing is resolved until it is used, and every
 * read of an attribute takes a new snapshot. */
#import "stub/stub.h"

enum { SNAPSHOT_LEVELS = 60 }; /* iOS refuses a deeper snapshot */

static void collect(FKNode *node, XCUIElementType type, BOOL childrenOnly, NSMutableArray *out)
{
    for (FKNode *child in node->children) {
        if (type == XCUIElementTypeAny || child->type == type) {
            [out addObject:child];
        }
        if (!childrenOnly) {
            collect(child, type, NO, out);
        }
    }
}

@implementation XCUIElementQuery

- (id)initWithBase:(XCUIElement *)base
            parent:(XCUIElementQuery *)parent
              type:(XCUIElementType)type
         predicate:(NSPredicate *)predicate
      childrenOnly:(BOOL)childrenOnly
{
    self = [super init];
    if (self != nil) {
        _base = [base retain];
        _parent = [parent retain];
        _type = type;
        _predicate = [predicate retain];
        _childrenOnly = childrenOnly;
    }
    return self;
}

- (void)dealloc
{
    [_base release];
    [_parent release];
    [_predicate release];
    [super dealloc];
}

- (NSArray *)matches
{
    NSMutableArray *found = [NSMutableArray array];
    if (_parent == nil) {
        FKNode *node = [_base resolve];
        if (node != nil) {
            collect(node, _type, _childrenOnly, found);
        }
        return found;
    }
    for (FKNode *node in [_parent matches]) {
        FKSnapshot *snapshot = [[FKSnapshot alloc] initWithNode:node deep:NO];
        if ([_predicate evaluateWithObject:snapshot]) {
            [found addObject:node];
        }
        [snapshot release];
    }
    return found;
}

- (NSUInteger)count
{
    if (!FKBegin([self app], @"query")) {
        return 0;
    }
    return [[self matches] count];
}

- (XCUIElement *)elementBoundByIndex:(NSUInteger)index
{
    return [[[XCUIElement alloc] initWithQuery:self index:(NSInteger)index] autorelease];
}

- (XCUIElement *)firstMatch
{
    return [self elementBoundByIndex:0];
}

- (XCUIElement *)element
{
    return [[[XCUIElement alloc] initWithQuery:self index:-1] autorelease];
}

- (XCUIElementQuery *)matchingPredicate:(NSPredicate *)predicate
{
    return [[[XCUIElementQuery alloc] initWithBase:_base
                                            parent:self
                                              type:XCUIElementTypeAny
                                         predicate:predicate
                                      childrenOnly:NO] autorelease];
}

- (XCUIElementQuery *)matchingIdentifier:(NSString *)identifier
{
    return [self matchingPredicate:[NSPredicate predicateWithFormat:@"identifier == %@ OR "
                                                                    @"label == %@",
                                                                    identifier, identifier]];
}

- (FKApp *)app
{
    return [_base app];
}

@end

@implementation XCUIElement

- (id)initWithQuery:(XCUIElementQuery *)query index:(NSInteger)index
{
    self = [super init];
    if (self != nil) {
        _query = [query retain];
        _index = index;
    }
    return self;
}

- (void)dealloc
{
    [_query release];
    [super dealloc];
}

- (FKApp *)app
{
    return [_query app];
}

- (FKNode *)resolve
{
    NSArray *matches = [_query matches];
    NSUInteger n = [matches count];
    if (_index < 0) {
        return n == 1 ? [matches objectAtIndex:0] : nil;
    }
    return (NSUInteger)_index < n ? [matches objectAtIndex:(NSUInteger)_index] : nil;
}

- (FKNode *)resolveFor:(NSString *)verb
{
    FKNode *node = [self resolve];
    if (node == nil) {
        FKFail(@"Failed to %@: No matches found for query", verb);
    }
    return node;
}

- (BOOL)exists
{
    return [self resolve] != nil;
}

- (BOOL)isHittable
{
    FKNode *node = [self resolve];
    return node != nil && node->enabled && !CGRectIsEmpty(node->frame);
}

- (BOOL)waitForExistenceWithTimeout:(NSTimeInterval)timeout
{
    (void)timeout;
    return [self exists];
}

- (XCUIElementQuery *)queryOf:(XCUIElementType)type childrenOnly:(BOOL)childrenOnly
{
    return [[[XCUIElementQuery alloc] initWithBase:self
                                            parent:nil
                                              type:type
                                         predicate:nil
                                      childrenOnly:childrenOnly] autorelease];
}

- (XCUIElementQuery *)descendantsMatchingType:(XCUIElementType)type
{
    return [self queryOf:type childrenOnly:NO];
}

- (XCUIElementQuery *)childrenMatchingType:(XCUIElementType)type
{
    return [self queryOf:type childrenOnly:YES];
}

- (XCUICoordinate *)coordinateWithNormalizedOffset:(CGVector)normalized
{
    return [[[XCUICoordinate alloc] initWithElement:self
                                         normalized:normalized
                                             offset:CGVectorMake(0, 0)] autorelease];
}

- (void)tap
{
    FKNode *node = [self resolveFor:@"tap"];
    if (node != nil) {
        [[self coordinateWithNormalizedOffset:CGVectorMake(0.5, 0.5)] tap];
    }
}

- (void)typeText:(NSString *)text
{
    FKApp *app = [[FKPhone shared] touched];
    if (!FKBegin(app, @"type")) {
        return;
    }
    if (![app typeText:text]) {
        FKFail(@"Failed to synthesize event: Neither element nor any descendant has keyboard "
               @"focus.");
        return;
    }
    FKEnd(app, @"type");
}

- (void)pinchWithScale:(CGFloat)scale velocity:(CGFloat)velocity
{
    FKApp *app = [self app];
    FKNode *node = [self resolveFor:@"pinch"];
    if (node == nil || !FKBegin(app, @"pinch")) {
        return;
    }
    if ((scale < 1) != (velocity < 0)) {
        [NSException raise:NSInvalidArgumentException
                    format:@"a scale of %g and a velocity of %g", scale, velocity];
    }
    [app note:[NSString
                  stringWithFormat:@"pinch %@ %g at %g", node->identifier, scale, velocity]];
    FKEnd(app, @"pinch");
}

/* ---- snapshots and attributes ---- */

static NSError *refusal(NSString *text)
{
    NSDictionary *info = [NSDictionary dictionaryWithObject:text
                                                     forKey:NSLocalizedDescriptionKey];
    return [NSError errorWithDomain:@"com.apple.dt.xctest.error" code:10 userInfo:info];
}

- (id<XCUIElementSnapshot>)snapshotWithError:(NSError **)error
{
    FKApp *app = [self app];
    NSString *why = nil;
    if (!FKBegin(app, @"snapshot")) {
        why = @"the snapshot was refused";
    }
    FKNode *node = why == nil ? [self resolve] : nil;
    if (node != nil && node == app->root) {
        [app snapshotTaken];
    }
    if (why == nil && node == nil) {
        why = @"No matches found for query";
    } else if (why == nil && [node depth] > SNAPSHOT_LEVELS) {
        why = @"Error kAXErrorIllegalArgument getting snapshot for element";
    }
    if (why != nil) {
        if (error != NULL) {
            *error = refusal(why);
        }
        return nil;
    }
    FKSnapshot *snapshot = [[[FKSnapshot alloc] initWithNode:node deep:YES] autorelease];
    FKEnd(app, @"snapshot");
    return snapshot;
}

- (FKSnapshot *)takeSnapshot
{
    FKNode *node = [self resolveFor:@"read an attribute"];
    return node != nil ? [[[FKSnapshot alloc] initWithNode:node deep:NO] autorelease] : nil;
}

- (NSString *)identifier
{
    NSString *s = [[self takeSnapshot] identifier];
    return s != nil ? s : @"";
}

- (NSString *)label
{
    NSString *s = [[self takeSnapshot] label];
    return s != nil ? s : @"";
}

- (NSString *)title
{
    return @"";
}

- (id)value
{
    return [[self takeSnapshot] value];
}

- (NSString *)placeholderValue
{
    return [[self takeSnapshot] placeholderValue];
}

- (CGRect)frame
{
    FKSnapshot *s = [self takeSnapshot];
    return s != nil ? [s frame] : CGRectZero;
}

- (XCUIElementType)elementType
{
    return [[self takeSnapshot] elementType];
}

- (BOOL)isEnabled
{
    return [[self takeSnapshot] isEnabled];
}

- (BOOL)isSelected
{
    return [[self takeSnapshot] isSelected];
}

- (BOOL)hasFocus
{
    return [[self takeSnapshot] hasFocus];
}

- (XCUIUserInterfaceSizeClass)horizontalSizeClass
{
    return XCUIUserInterfaceSizeClassCompact;
}

- (XCUIUserInterfaceSizeClass)verticalSizeClass
{
    return XCUIUserInterfaceSizeClassRegular;
}

@end
