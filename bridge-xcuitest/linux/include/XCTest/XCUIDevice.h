/* XCUIDevice.h: the device, its system and its screen, as Apple declares them. */
#ifndef IA_STUB_XCUI_DEVICE_H
#define IA_STUB_XCUI_DEVICE_H

#import <XCTest/XCUITypes.h>

NS_ASSUME_NONNULL_BEGIN

@interface XCUIScreenshot : NSObject {
    NSData *_png;
}
@property(readonly, copy) NSData *PNGRepresentation;
@end

@interface XCUIScreen : NSObject
@property(class, readonly, strong) XCUIScreen *mainScreen;
- (XCUIScreenshot *)screenshot;
@end

@interface XCUISystem : NSObject
- (void)openURL:(NSURL *)url;
@end

@interface XCUIDevice : NSObject
@property(class, readonly) XCUIDevice *sharedDevice;
@property(nonatomic) UIDeviceOrientation orientation;
@property(nonatomic) XCUIDeviceAppearance appearance;
@property(readonly) XCUISystem *system;
- (void)pressButton:(XCUIDeviceButton)button;
@end

NS_ASSUME_NONNULL_END

#endif
