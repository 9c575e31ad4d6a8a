/* stub.h: what the classes of the stub share beyond Apple's headers. */
#ifndef IA_STUB_STUB_H
#define IA_STUB_STUB_H

#import "fake/phone.h"

/* STUB_XCTEST=old in the environment: an XCTest that lacks what late_binding.h declares, and
 * the private keys. */
BOOL StubIsOld(void);

/* Frees what the stubs of the phone's data hold (frameworks.m and its parts). */
void StubDataEnd(void);

/* The test that failures are recorded on; not retained. */
void StubSetTest(XCTestCase *test);

@interface XCUIElementQuery (Stub)
- (id)initWithBase:(XCUIElement *)base
            parent:(XCUIElementQuery *)parent
              type:(XCUIElementType)type
         predicate:(NSPredicate *)predicate
      childrenOnly:(BOOL)childrenOnly;
- (NSArray *)matches; /* FKNodes that match now */
- (FKApp *)app;
@end

@interface XCUIElement (Stub)
/* index -1: exactly one element must match. */
- (id)initWithQuery:(XCUIElementQuery *)query index:(NSInteger)index;
- (FKApp *)app;
- (FKNode *)resolve;                     /* nil if there is none */
- (FKNode *)resolveFor:(NSString *)verb; /* the same, but records an issue */
- (FKSnapshot *)takeSnapshot;            /* what every read of an attribute does */
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
