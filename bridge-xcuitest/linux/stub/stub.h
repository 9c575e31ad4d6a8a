/* stub.h: what the stub's classes know of each other beyond Apple's headers. */
#ifndef IA_STUB_STUB_H
#define IA_STUB_STUB_H

#import "fake/phone.h"

/* STUB_XCTEST=old in the environment: an XCTest without what late_binding.h declares and without the
 * private keys. */
BOOL StubIsOld(void);

/* The test on which failures are recorded; not retained. */
void StubSetTest(XCTestCase *test);

@interface XCUIElementQuery (Stub)
- (id)initWithBase:(XCUIElement *)base
            parent:(XCUIElementQuery *)parent
              type:(XCUIElementType)type
         predicate:(NSPredicate *)predicate
      childrenOnly:(BOOL)childrenOnly;
- (NSArray *)matches; /* FKNodes, as of now */
- (FKApp *)app;
@end

@interface XCUIElement (Stub)
/* index -1: there must be just one match. */
- (id)initWithQuery:(XCUIElementQuery *)query index:(NSInteger)index;
- (FKApp *)app;
- (FKNode *)resolve;                     /* nil when there is none */
- (FKNode *)resolveFor:(NSString *)verb; /* the same, with an issue */
- (FKSnapshot *)look;                    /* as every read of an attribute does */
@end

@interface XCUICoordinate (Stub)
- (id)initWithElement:(XCUIElement *)element
           normalized:(CGVector)normalized
               offset:(CGVector)offset;
@end

@interface XCUIScreenshot (Stub)
- (id)initWithPNG:(NSData *)png;
@end

@interface XCUIAccessibilityAuditIssue (Stub)
- (id)initWithElement:(XCUIElement *)element
                 type:(uint64_t)type
              compact:(NSString *)compact
             detailed:(NSString *)detailed;
@end

#endif
