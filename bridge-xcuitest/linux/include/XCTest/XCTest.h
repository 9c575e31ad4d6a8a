/* XCTest.h: the part of Apple's public XCTest and XCUIAutomation that the bridge uses, for
 * GNUstep. Names, signatures and numbers are Apple's; the implementation is ours. */
#ifndef IA_STUB_XCTEST_H
#define IA_STUB_XCTEST_H

#import <XCTest/XCTestCase.h>
#import <XCTest/XCUIDevice.h>
#import <XCTest/XCUIElement.h>

#endif
