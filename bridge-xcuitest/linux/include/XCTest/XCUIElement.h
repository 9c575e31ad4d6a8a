/* XCUIElement.h: elements, queries, coordinates and applications, as Apple declares them. */
#ifndef IA_STUB_XCUI_ELEMENT_H
#define IA_STUB_XCUI_ELEMENT_H

#import <XCTest/XCUITypes.h>

NS_ASSUME_NONNULL_BEGIN

@class XCUIElement, XCUIElementQuery, XCUICoordinate;

@protocol XCUIElementAttributes
@property(readonly) NSString *identifier;
@property(readonly) CGRect frame;
@property(readonly, nullable) id value;
@property(readonly, copy) NSString *title;
@property(readonly, copy) NSString *label;
@property(readonly) XCUIElementType elementType;
@property(readonly, getter=isEnabled) BOOL enabled;
@property(readonly) XCUIUserInterfaceSizeClass horizontalSizeClass;
@property(readonly) XCUIUserInterfaceSizeClass verticalSizeClass;
@property(readonly, nullable) NSString *placeholderValue;
@property(readonly, getter=isSelected) BOOL selected;
@property(readonly) BOOL hasFocus;
@end

@protocol XCUIElementSnapshot <XCUIElementAttributes>
@property(readonly) NSArray<id<XCUIElementSnapshot>> *children;
@property(readonly, copy) NSDictionary<NSString *, id> *dictionaryRepresentation;
@end

@protocol XCUIElementSnapshotProviding <NSObject>
- (nullable id<XCUIElementSnapshot>)snapshotWithError:(NSError **)error;
@end

@interface XCUIElement : NSObject <XCUIElementAttributes, XCUIElementSnapshotProviding> {
    XCUIElementQuery *_query;
    NSInteger _index;
}
@property(readonly) BOOL exists;
@property(readonly, getter=isHittable) BOOL hittable;
- (BOOL)waitForExistenceWithTimeout:(NSTimeInterval)timeout;
- (XCUIElementQuery *)descendantsMatchingType:(XCUIElementType)type;
- (XCUIElementQuery *)childrenMatchingType:(XCUIElementType)type;
- (XCUICoordinate *)coordinateWithNormalizedOffset:(CGVector)normalizedOffset;
- (void)tap;
- (void)typeText:(NSString *)text;
- (void)pinchWithScale:(CGFloat)scale velocity:(CGFloat)velocity;
@end

@interface XCUIElementQuery : NSObject {
    XCUIElement *_base;
    XCUIElementQuery *_parent;
    XCUIElementType _type;
    NSPredicate *_predicate;
    BOOL _childrenOnly;
}
@property(readonly) NSUInteger count;
@property(readonly) XCUIElement *element;
@property(readonly) XCUIElement *firstMatch;
- (XCUIElement *)elementBoundByIndex:(NSUInteger)index;
- (XCUIElementQuery *)matchingPredicate:(NSPredicate *)predicate;
- (XCUIElementQuery *)matchingIdentifier:(NSString *)identifier;
@end

@interface XCUICoordinate : NSObject {
    XCUIElement *_element;
    CGVector _normalized, _offset;
}
@property(readonly) XCUIElement *referencedElement;
@property(readonly) CGPoint screenPoint;
- (XCUICoordinate *)coordinateWithOffset:(CGVector)offsetVector;
- (void)tap;
- (void)doubleTap;
- (void)pressForDuration:(NSTimeInterval)duration;
- (void)pressForDuration:(NSTimeInterval)duration
    thenDragToCoordinate:(XCUICoordinate *)otherCoordinate
            withVelocity:(XCUIGestureVelocity)velocity
     thenHoldForDuration:(NSTimeInterval)holdDuration;
@end

@interface XCUIApplication : XCUIElement {
    NSString *_bundleID;
    NSArray *_launchArguments;
    NSDictionary *_launchEnvironment;
    unsigned int _currentInteractionOptions;
}
@property(nonatomic, copy) NSArray<NSString *> *launchArguments;
@property(nonatomic, copy) NSDictionary<NSString *, NSString *> *launchEnvironment;
@property(readonly) XCUIApplicationState state;
- (instancetype)initWithBundleIdentifier:(NSString *)bundleIdentifier;
- (void)launch;
- (void)activate;
- (void)terminate;
- (BOOL)waitForState:(XCUIApplicationState)state timeout:(NSTimeInterval)timeout;
@end

@interface XCUIAccessibilityAuditIssue : NSObject {
    XCUIElement *_element;
    NSString *_compact, *_detailed;
    uint64_t _type;
}
@property(readonly, nullable) XCUIElement *element;
@property(readonly, copy) NSString *compactDescription;
@property(readonly, copy) NSString *detailedDescription;
@property(readonly) uint64_t auditType;
@end

@interface XCUIApplication (Auditing)
- (BOOL)performAccessibilityAuditWithAuditTypes:(uint64_t)types
                                   issueHandler:
                                       (BOOL (^_Nullable)(XCUIAccessibilityAuditIssue *))handler
                                          error:(NSError **)error;
@end

NS_ASSUME_NONNULL_END

#endif
