/* phone.m: the fake iPhone, its faults and its journal. */
#import "fake/phone.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- faults ---- */

/* As long as the file is there. Another, FAKE_HANG_FILE.here, says meanwhile that it hangs. */
static void hang(FKApp *app)
{
    NSString *name = [app setting:@"FAKE_HANG_FILE"];
    if (name == nil) {
        return;
    }
    const char *file = [name fileSystemRepresentation];
    const char *here = [[name stringByAppendingString:@".here"] fileSystemRepresentation];
    close(open(here, O_CREAT | O_WRONLY, 0600));
    while (access(file, F_OK) == 0) {
        usleep(2000);
    }
    unlink(here);
}

BOOL FKBegin(FKApp *app, NSString *op)
{
    if ([app fault:@"FAKE_THROW" at:op]) {
        [NSException raise:NSInternalInconsistencyException format:@"%@ went wrong", op];
    }
    if ([app fault:@"FAKE_THROW_STRING" at:op]) {
        @throw [NSString stringWithFormat:@"a string, thrown by %@", op];
    }
    if ([app fault:@"FAKE_HANG" at:op]) {
        hang(app);
    }
    if ([app fault:@"FAKE_CRASH" at:op]) {
        [app end];
        FKFail(@"%@ crashed in %@", app->bundleID, op);
        return NO;
    }
    if ([app fault:@"FAKE_REFUSE" at:op]) {
        FKFail(@"Failed to %@: No matches found for query", op);
        return NO;
    }
    return YES;
}

void FKEnd(FKApp *app, NSString *op)
{
    if ([app fault:@"FAKE_RECORD" at:op]) {
        FKFail(@"Failed to %@: the event was not acknowledged", op);
    }
    if ([app fault:@"FAKE_THROW_LATE" at:op]) {
        [NSException raise:NSInternalInconsistencyException format:@"%@ broke off", op];
    }
}

/* ---- apps ---- */

@implementation FKApp

- (id)initWithBundleID:(NSString *)name
{
    self = [super init];
    if (self != nil) {
        bundleID = [name copy];
        state = XCUIApplicationStateNotRunning;
    }
    return self;
}

- (void)dealloc
{
    [bundleID release];
    [root release];
    [env release];
    [super dealloc];
}

- (NSString *)setting:(NSString *)name
{
    return [env objectForKey:name];
}

- (BOOL)fault:(NSString *)fault at:(NSString *)operation
{
    return [[[self setting:fault] componentsSeparatedByString:@","] containsObject:operation];
}

/* The journal is four points high, at the lower edge: tests can read it and it covers
 * nothing. */
- (void)addJournal:(FKNode *)window arguments:(NSArray *)arguments
{
    NSArray *names =
        [NSArray arrayWithObjects:@"fake.taps", @"fake.gesture", @"fake.args", nil];
    NSString *greeting = [self setting:@"GREETING"];
    CGSize size = [[FKPhone shared] size];
    for (NSUInteger i = 0; i < [names count]; i++) {
        [window add:[FKNode type:XCUIElementTypeStaticText
                              id:[names objectAtIndex:i]
                           label:@"0"
                           frame:CGRectMake((CGFloat)i * 100, size.height - 4, 100, 4)]];
    }
    [[root find:@"fake.args"]
        setLabel:[NSString stringWithFormat:@"%@|%@", [arguments componentsJoinedByString:@" "],
                                            greeting ? greeting : @""]];
}

- (void)startWithArguments:(NSArray *)arguments environment:(NSDictionary *)environment
{
    CGSize size = [[FKPhone shared] size];
    CGRect whole = CGRectMake(0, 0, size.width, size.height);
    NSDictionary *old = env;
    env = [environment copy];
    [old release];
    snapshots = taps = gestures = 0;
    focus = nil;
    [root release];
    root = [[FKNode type:XCUIElementTypeApplication id:@"" label:@"Fake \"app\""
                   frame:whole] retain];
    FKNode *window = [root add:[FKNode type:XCUIElementTypeWindow
                                         id:@""
                                      label:@""
                                      frame:whole]];
    [self build:window];
    [self addJournal:window arguments:arguments];
    state = XCUIApplicationStateRunningForeground;
    if ([self setting:@"FAKE_ASK"] != nil) {
        [[FKPhone shared] ask:[self setting:@"FAKE_ASK"]];
    }
}

- (void)end
{
    FKPhone *phone = [FKPhone shared];
    state = XCUIApplicationStateNotRunning;
    focus = nil;
    if (phone->front == self) {
        phone->front = phone->springboard;
    }
}

/* Nodes disappear, appear and change at the snapshot whose number the setting names. */
- (void)snapshotTaken
{
    snapshots++;
    if ([[self setting:@"FAKE_VANISH"] integerValue] == (NSInteger)snapshots) {
        [[root find:@"vanishing"] remove];
    }
    if ([[self setting:@"FAKE_RENAME"] integerValue] == (NSInteger)snapshots) {
        [[root find:@"renamed"] setLabel:@"Another"];
    }
    if ([[self setting:@"FAKE_APPEAR"] integerValue] == (NSInteger)snapshots) {
        FKNode *late = [FKNode type:XCUIElementTypeButton
                                 id:@"late"
                              label:@"Late"
                              frame:CGRectMake(200, 500, 100, 44)];
        late->action = @"count";
        [(FKNode *)[root->children objectAtIndex:0] add:late];
    }
}

- (void)note:(NSString *)gesture
{
    gestures++;
    [[root find:@"fake.gesture"]
        setLabel:[NSString stringWithFormat:@"%lu %@", (unsigned long)gestures, gesture]];
    [[root find:@"fake.taps"] setLabel:[NSString stringWithFormat:@"%lu", (unsigned long)taps]];
}

/* While an alert or a sheet is shown, only that can be touched. */
- (FKNode *)modal
{
    FKNode *alert = [root findType:XCUIElementTypeAlert];
    return alert != nil ? alert : [root findType:XCUIElementTypeSheet];
}

- (void)touch:(CGPoint)point times:(NSUInteger)times
{
    FKNode *modal = [self modal];
    [self note:[NSString
                   stringWithFormat:@"tap %g,%g x%lu", point.x, point.y, (unsigned long)times]];
    for (NSUInteger i = 0; i < times; i++) {
        FKNode *node = [[(modal != nil ? modal : root) hit:point] retain];
        taps++;
        [self act:node];
        [node release];
    }
    [[root find:@"fake.taps"] setLabel:[NSString stringWithFormat:@"%lu", (unsigned long)taps]];
}

- (void)deleteOne
{
    NSUInteger n = [focus->text length];
    if (n > 0) {
        NSRange last = [focus->text rangeOfComposedCharacterSequenceAtIndex:n - 1];
        [focus->text deleteCharactersInRange:last];
    }
}

/* With FAKE_DROP=N every N-th character is lost. */
- (void)insert:(NSString *)text
{
    NSUInteger every = (NSUInteger)[[self setting:@"FAKE_DROP"] integerValue];
    NSUInteger i = 0;
    while (i < [text length]) {
        NSRange one = [text rangeOfComposedCharacterSequenceAtIndex:i];
        unichar c = [text characterAtIndex:i];
        if (c == '\b') {
            [self deleteOne];
        } else if (c == '\n') {
            [[root find:@"submitted"] setLabel:focus->text];
        } else if (every == 0 || ([focus->text length] + 1) % every != 0) {
            [focus->text appendString:[text substringWithRange:one]];
        }
        i = NSMaxRange(one);
    }
}

- (BOOL)typeText:(NSString *)text
{
    if (focus == nil) {
        return NO;
    }
    if (![[self setting:@"FAKE_FOCUS"] isEqualToString:@"deaf"]) {
        [self insert:text];
    }
    [self note:[NSString stringWithFormat:@"type %lu", (unsigned long)[text length]]];
    if ([[self setting:@"FAKE_FOCUS"] isEqualToString:@"once"]) {
        focus->focused = NO;
        focus = nil;
    }
    return YES;
}

@end

/* ---- the phone ---- */

static FKPhone *shared;

@implementation FKPhone

- (void)install:(NSString *)bundleID
{
    FKApp *app = [[FKApp alloc] initWithBundleID:bundleID];
    [apps setObject:app forKey:bundleID];
    [app release];
}

+ (FKPhone *)shared
{
    if (shared == nil) {
        shared = [[FKPhone alloc] init];
        shared->orientation = UIDeviceOrientationPortrait;
        shared->appearance = XCUIDeviceAppearanceLight;
        shared->apps = [[NSMutableDictionary alloc] init];
        [shared install:@"com.apple.springboard"];
        [shared install:@"com.example.fake"];
        [shared install:@"com.example.other"];
        shared->springboard = [shared app:@"com.apple.springboard"];
        shared->front = shared->springboard;
        NSDictionary *home = [NSDictionary dictionaryWithObject:@"home" forKey:@"FAKE_SCREEN"];
        [shared->springboard startWithArguments:[NSArray array] environment:home];
    }
    return shared;
}

+ (void)end
{
    [shared release];
    shared = nil;
}

- (void)dealloc
{
    [apps release];
    [pasteboard release];
    [super dealloc];
}

- (FKApp *)app:(NSString *)bundleID
{
    return [apps objectForKey:bundleID];
}

- (void)bring:(FKApp *)app
{
    if (front != app && front != springboard &&
        front->state != XCUIApplicationStateNotRunning) {
        front->state = XCUIApplicationStateRunningBackground;
    }
    app->state = XCUIApplicationStateRunningForeground;
    front = app;
}

- (void)pressHome
{
    [self bring:springboard];
    [springboard note:@"home"];
}

- (FKApp *)touched
{
    return [springboard->root findType:XCUIElementTypeAlert] != nil ? springboard : front;
}

- (CGSize)size
{
    BOOL wide = orientation == UIDeviceOrientationLandscapeLeft ||
                orientation == UIDeviceOrientationLandscapeRight;
    return wide ? NSMakeSize(844, 390) : NSMakeSize(390, 844);
}

- (void)ask:(NSString *)title
{
    static NSString *const labels[] = {@"Einmal erlauben", @"Beim Verwenden erlauben",
                                       @"Nicht erlauben"};
    FKNode *alert = [(FKNode *)[springboard->root->children objectAtIndex:0]
        add:[FKNode type:XCUIElementTypeAlert
                      id:@""
                   label:title
                   frame:CGRectMake(60, 260, 270, 250)]];
    [alert add:[FKNode type:XCUIElementTypeStaticText
                         id:@""
                      label:@"Dein Standort wird gezeigt."
                      frame:CGRectMake(76, 300, 238, 40)]];
    for (NSUInteger i = 0; i < 3; i++) {
        CGRect frame = CGRectMake(60, 378 + 44 * (CGFloat)i, 270, 44);
        FKNode *button = [FKNode type:XCUIElementTypeButton id:@"" label:labels[i] frame:frame];
        [alert add:button]->action = @"close";
    }
}

@end
