/* node.m: elements of fake apps, and what a snapshot of them contains. Time is the number of
 * snapshots: an element that moves is somewhere else in each of them. */
#import "fake/node.h"

@implementation FKNode

+ (FKNode *)type:(XCUIElementType)t id:(NSString *)i label:(NSString *)l frame:(CGRect)f
{
    FKNode *n = [[[FKNode alloc] init] autorelease];
    n->type = t;
    n->identifier = [i copy];
    n->label = [l copy];
    n->frame = f;
    n->enabled = YES;
    n->children = [[NSMutableArray alloc] init];
    return n;
}

- (void)dealloc
{
    for (FKNode *child in children) {
        child->parent = nil;
    }
    [identifier release];
    [label release];
    [placeholder release];
    [value release];
    [text release];
    [action release];
    [offsets release];
    [children release];
    [super dealloc];
}

- (FKNode *)add:(FKNode *)child
{
    [children addObject:child];
    child->parent = self;
    return child;
}

- (void)remove
{
    FKNode *from = parent;
    parent = nil;
    [from->children removeObjectIdenticalTo:self];
}

- (void)setLabel:(NSString *)l
{
    NSString *old = label;
    label = [l copy];
    [old release];
}

- (void)setValue:(id)v
{
    [v retain];
    [value release];
    value = v;
}

- (FKNode *)find:(NSString *)i
{
    if ([identifier isEqualToString:i]) {
        return self;
    }
    for (FKNode *child in children) {
        FKNode *found = [child find:i];
        if (found != nil) {
            return found;
        }
    }
    return nil;
}

- (FKNode *)findType:(XCUIElementType)t
{
    if (type == t) {
        return self;
    }
    for (FKNode *child in children) {
        FKNode *found = [child findType:t];
        if (found != nil) {
            return found;
        }
    }
    return nil;
}

- (CGFloat)offset
{
    CGFloat own = 0;
    NSUInteger n = [offsets count];
    if (n > 0) {
        NSUInteger i = snapshots > 0 ? snapshots - 1 : 0;
        own = (CGFloat)[[offsets objectAtIndex:i < n ? i : n - 1] doubleValue];
    }
    return parent != nil ? own + [parent offset] : own;
}

- (NSUInteger)depth
{
    NSUInteger deepest = 0;
    for (FKNode *child in children) {
        NSUInteger d = [child depth];
        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

- (FKNode *)hit:(CGPoint)p
{
    for (NSInteger i = (NSInteger)[children count] - 1; i >= 0; i--) {
        FKNode *found = [(FKNode *)[children objectAtIndex:(NSUInteger)i] hit:p];
        if (found != nil) {
            return found;
        }
    }
    CGRect now = frame;
    now.origin.x += [self offset];
    return NSPointInRect(p, now) ? self : nil;
}

@end

@implementation FKSnapshot

/* Like UIKit, an empty field reports its placeholder as its value. */
static id shown(FKNode *n)
{
    if (n->text == nil) {
        return n->value;
    }
    if ([n->text length] == 0) {
        return n->placeholder;
    }
    return n->secure ? [@"" stringByPaddingToLength:[n->text length]
                                         withString:@"\u2022"
                                    startingAtIndex:0]
                     : [NSString stringWithString:n->text];
}

- (id)initWithNode:(FKNode *)n deep:(BOOL)deep
{
    self = [super init];
    if (self == nil) {
        return nil;
    }
    n->snapshots++;
    _type = n->type;
    _identifier = [n->identifier copy];
    _label = [n->label copy];
    _placeholder = [n->placeholder copy];
    _value = [shown(n) retain];
    _frame = n->frame;
    _frame.origin.x += [n offset];
    _enabled = n->enabled;
    _selected = n->selected;
    _focused = n->focused;
    _children = [[NSMutableArray alloc] initWithCapacity:deep ? [n->children count] : 0];
    for (FKNode *node in deep ? n->children : nil) {
        FKSnapshot *child = [[FKSnapshot alloc] initWithNode:node deep:YES];
        [_children addObject:child];
        [child release];
    }
    return self;
}

- (void)dealloc
{
    [_identifier release];
    [_label release];
    [_placeholder release];
    [_value release];
    [_children release];
    [super dealloc];
}

- (NSArray *)children
{
    return _children;
}

- (NSString *)identifier
{
    return _identifier;
}

- (NSString *)label
{
    return _label;
}

- (NSString *)title
{
    return @"";
}

- (NSString *)placeholderValue
{
    return _placeholder;
}

- (id)value
{
    return _value;
}

- (CGRect)frame
{
    return _frame;
}

- (XCUIElementType)elementType
{
    return _type;
}

- (BOOL)isEnabled
{
    return _enabled;
}

- (BOOL)isSelected
{
    return _selected;
}

- (BOOL)hasFocus
{
    return _focused;
}

- (XCUIUserInterfaceSizeClass)horizontalSizeClass
{
    return XCUIUserInterfaceSizeClassCompact;
}

- (XCUIUserInterfaceSizeClass)verticalSizeClass
{
    return XCUIUserInterfaceSizeClassRegular;
}

- (NSDictionary *)dictionaryRepresentation
{
    return [NSDictionary dictionaryWithObject:_identifier forKey:@"identifier"];
}

@end
