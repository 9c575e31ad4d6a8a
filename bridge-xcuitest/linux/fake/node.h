/* node.h: an element of a fake app, as the app itself sees it. */
#ifndef IA_FAKE_NODE_H
#define IA_FAKE_NODE_H

#import <XCTest/XCTest.h>

@interface FKNode : NSObject {
  @public
    XCUIElementType type;
    NSString *identifier, *label, *placeholder;
    id value;
    CGRect frame; /* at rest; see offsets */
    BOOL enabled, selected, focused;
    BOOL secure;           /* a field that shows bullets instead of its text */
    BOOL stuck;            /* a switch that does not move */
    NSMutableString *text; /* of a field */
    NSString *action;      /* what a tap does; see screens.m */
    NSArray *offsets;      /* NSNumbers: how far to the right each snapshot finds it */
    NSUInteger snapshots;  /* how many snapshots were taken of it */
    FKNode *parent;        /* not retained */
    NSMutableArray *children;
}
+ (FKNode *)type:(XCUIElementType)type
              id:(NSString *)identifier
           label:(NSString *)label
           frame:(CGRect)frame;
- (FKNode *)add:(FKNode *)child; /* returns the child */
- (void)remove;
- (void)setLabel:(NSString *)label;
- (void)setValue:(id)value;
- (FKNode *)find:(NSString *)identifier;
- (FKNode *)findType:(XCUIElementType)type;
/* How far to the right of its frame it is now, including the offsets of its ancestors. */
- (CGFloat)offset;
/* The number of levels: its own and those below. */
- (NSUInteger)depth;
/* The deepest node under the point, where later nodes are in front; nil outside. */
- (FKNode *)hit:(CGPoint)point;
@end

/* An element as it was at one moment. */
@interface FKSnapshot : NSObject <XCUIElementSnapshot> {
    XCUIElementType _type;
    NSString *_identifier, *_label, *_placeholder;
    id _value;
    CGRect _frame;
    BOOL _enabled, _selected, _focused;
    NSMutableArray *_children;
}
/* Of the node alone, or with its subtree; counts as one more snapshot for each of them. */
- (id)initWithNode:(FKNode *)node deep:(BOOL)deep;
@end

#endif
