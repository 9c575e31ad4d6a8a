/* sdk_planted.m: one mistake for each number of PLANT, which sdk_check.sh must find. 0 is sound. */
#import <XCTest/XCTest.h>

void ia_planted(XCUIApplication *app, XCUIElementQuery *query);

void ia_planted(XCUIApplication *app, XCUIElementQuery *query)
{
#if PLANT == 0
    [app activate];
    [XCUIDevice sharedDevice].appearance = XCUIDeviceAppearanceDark;
    if (@available(iOS 17.0, *)) {
        [app performAccessibilityAuditWithAuditTypes:XCUIAccessibilityAuditTypeAll
                                        issueHandler:nil
                                               error:NULL];
    }
#elif PLANT == 1  /* a selector that Apple does not have */
    [app activateNow];
#elif PLANT == 2  /* an argument of another class */
    [[XCUIDevice sharedDevice].system openURL:@"https://example.com"];
#elif PLANT == 3  /* newer than the oldest iOS, unchecked */
    [app performAccessibilityAuditWithAuditTypes:XCUIAccessibilityAuditTypeAll
                                    issueHandler:nil
                                           error:NULL];
#elif PLANT == 4  /* a class without a public initializer */
    (void)[[XCUIElement alloc] init];
#elif PLANT == 5  /* nil where Apple wants an object */
    [app typeText:nil];
#elif PLANT == 6  /* a property of another type */
    NSString *count = query.count;
    (void)count;
#elif PLANT == 7  /* a number of another enumeration */
    [[XCUIDevice sharedDevice] pressButton:XCUIDeviceAppearanceDark];
#elif PLANT == 8  /* a class that Apple does not publish */
    [XCUIApplicationProcess class];
#elif PLANT == 9  /* a selector that nothing declares */
    (void)[app respondsToSelector:@selector(waitUntilIdle)];
#elif PLANT == 10 /* a constant that simulators lack */
    [[XCUIDevice sharedDevice] pressButton:XCUIDeviceButtonVolumeUp];
#endif
    (void)app;
    (void)query;
}
