/* screens.m: the screens of the fake apps, and the effects of touching their elements. An
 * effect is named by the `action` of a node. */
#import "fake/odd.h"
#import "fake/phone.h"

static FKNode *put(FKNode *into, XCUIElementType type, NSString *identifier, NSString *label,
                   CGRect frame)
{
    return [into add:[FKNode type:type id:identifier label:label frame:frame]];
}

static FKNode *button(FKNode *into, NSString *identifier, NSString *label, CGFloat y,
                      NSString *action)
{
    FKNode *n = put(into, XCUIElementTypeButton, identifier, label, CGRectMake(20, y, 120, 44));
    n->action = [action copy];
    return n;
}

/* "0,10,20", or "forever" for an element that never rests. */
static NSArray *offsets(NSString *list)
{
    NSMutableArray *numbers = [[NSMutableArray alloc] init];
    BOOL forever = [list isEqualToString:@"forever"];
    for (NSString *part in forever ? nil : [list componentsSeparatedByString:@","]) {
        [numbers addObject:[NSNumber numberWithDouble:[part doubleValue]]];
    }
    for (int i = 0; forever && i < 5000; i++) {
        [numbers addObject:[NSNumber numberWithInt:i % 200]];
    }
    return numbers;
}

/* ---- screens ---- */

/* The second one is like SwiftUI's: the whole row is a switch, only its trailing end reacts to
 * touches, and what is drawn there is a child of the same type. */
static void switches(FKApp *app, FKNode *window)
{
    FKNode *cell = put(window, XCUIElementTypeCell, @"airplane", @"Airplane mode",
                       CGRectMake(0, 300, 390, 50));
    FKNode *plain = put(cell, XCUIElementTypeSwitch, @"plain", @"Airplane mode",
                        CGRectMake(319, 309, 51, 31));
    FKNode *row =
        put(window, XCUIElementTypeSwitch, @"row", @"Bluetooth", CGRectMake(0, 360, 390, 50));
    FKNode *knob = put(row, XCUIElementTypeSwitch, @"", @"", CGRectMake(319, 369, 51, 31));
    plain->value = @"0";
    plain->action = @"toggle";
    row->value = @"0";
    knob->value = @"0";
    knob->action = @"toggle-parent";
    plain->stuck = [[app setting:@"FAKE_SWITCH"] isEqualToString:@"stuck"];
    row->stuck = plain->stuck;
}

static void controls(FKApp *app, FKNode *window)
{
    NSString *move = [app setting:@"FAKE_MOVE"];
    put(window, XCUIElementTypeNavigationBar, @"", @"Fake", CGRectMake(0, 47, 390, 44));
    button(window, @"count", @"Count", 100, @"count");
    put(window, XCUIElementTypeStaticText, @"counted", @"Count: 0",
        CGRectMake(160, 100, 200, 44));
    button(window, @"disabled", @"Disabled", 150, @"count")->enabled = NO;
    button(window, @"vanishing", @"Vanishing", 200, @"count");
    button(window, @"renamed", @"Renamed", 250, @"count");
    if (move != nil) {
        button(window, @"mover", @"Mover", 420, @"count")->offsets = offsets(move);
    }
    for (int i = 0; i < 3; i++) {
        button(window, @"", @"Same", 470 + 50 * i, @"count");
    }
    switches(app, window);
    if ([app setting:@"FAKE_ODD"] != nil) {
        FKOddString *label = [[[FKOddString alloc] init] autorelease];
        put(window, XCUIElementTypeStaticText, @"odd", label, CGRectMake(160, 150, 200, 44));
    }
    put(window, XCUIElementTypePageIndicator, @"page", @"", CGRectMake(0, 640, 390, 20))
        ->value = [[NSNumber alloc] initWithInt:2];
    put(window, XCUIElementTypeOther, @"", @"", CGRectMake(0, 0, 0, 0));
    put(window, XCUIElementTypeMap, @"map", @"", CGRectMake(200, 660, 180, 120));
}

static FKNode *field(FKNode *window, XCUIElementType type, NSString *name, NSString *hint,
                     CGFloat y)
{
    FKNode *n = put(window, type, name, @"", CGRectMake(20, y, 350, 36));
    n->placeholder = [hint copy];
    n->text = [[NSMutableString alloc] init];
    n->action = @"focus";
    return n;
}

static void text(FKApp *app, FKNode *window)
{
    (void)app;
    field(window, XCUIElementTypeTextField, @"name", @"Name", 100);
    [field(window, XCUIElementTypeTextField, @"filled", @"Town", 150)->text
        appendString:@"Z\u00fcrich"];
    field(window, XCUIElementTypeSecureTextField, @"secret", @"Password", 200)->secure = YES;
    put(window, XCUIElementTypeStaticText, @"submitted", @"", CGRectMake(20, 250, 350, 20));
}

static void dialogs(FKApp *app, FKNode *window)
{
    (void)app;
    button(window, @"alert", @"Alert", 100, @"alert");
    button(window, @"sheet", @"Sheet", 150, @"sheet");
    button(window, @"ask", @"Ask", 200, @"ask");
    put(window, XCUIElementTypeStaticText, @"chosen", @"", CGRectMake(160, 100, 200, 44));
}

/* Cells with a text and a button each, FAKE_NODES elements in total. */
static void list(FKApp *app, FKNode *window)
{
    NSInteger wanted = [[app setting:@"FAKE_NODES"] integerValue];
    FKNode *table =
        put(window, XCUIElementTypeTable, @"table", @"", CGRectMake(0, 91, 390, 700));
    for (NSInteger i = 0; i < wanted / 3; i++) {
        CGFloat y = 91 + 44 * (CGFloat)i;
        NSString *name = [NSString stringWithFormat:@"row %ld", (long)i];
        FKNode *cell = put(table, XCUIElementTypeCell, name, name, CGRectMake(0, y, 390, 44));
        put(cell, XCUIElementTypeStaticText, @"", name, CGRectMake(16, y, 250, 44));
        put(cell, XCUIElementTypeButton, @"", @"More", CGRectMake(300, y, 74, 44))->action =
            @"count";
    }
}

/* FAKE_DEPTH nested views, with a button in the innermost. */
static void deep(FKApp *app, FKNode *window)
{
    NSInteger wanted = [[app setting:@"FAKE_DEPTH"] integerValue];
    FKNode *at = window;
    for (NSInteger i = 0; i < wanted; i++) {
        at = put(at, XCUIElementTypeOther, @"", @"", CGRectMake(0, 100, 390, 600));
    }
    button(at, @"bottom", @"Bottom", 300, @"count");
    button(window, @"top", @"Top", 720, @"count");
}

static void home(FKApp *app, FKNode *window)
{
    (void)app;
    put(window, XCUIElementTypeIcon, @"Fake", @"Fake", CGRectMake(30, 80, 60, 60))->action =
        @"open";
}

static const struct {
    const char *name;
    void (*fill)(FKApp *app, FKNode *window);
} screens[] = {{"controls", controls}, {"text", text}, {"dialogs", dialogs},
               {"list", list},         {"deep", deep}, {"home", home}};

@implementation FKApp (Screens)

- (void)build:(FKNode *)window
{
    NSString *screen = [self setting:@"FAKE_SCREEN"];
    for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
        if ([screen isEqualToString:[NSString stringWithUTF8String:screens[i].name]]) {
            screens[i].fill(self, window);
            return;
        }
    }
    controls(self, window);
}

/* ---- what a touch does ---- */

- (void)countFor:(FKNode *)node
{
    (void)node;
    [[root find:@"counted"]
        setLabel:[NSString stringWithFormat:@"Count: %lu", (unsigned long)taps]];
}

- (void)toggle:(FKNode *)node
{
    NSString *value = [(NSString *)node->value isEqualToString:@"1"] ? @"0" : @"1";
    if (!node->stuck) {
        [node setValue:value];
    }
}

/* A switch that is a row changes itself and the one drawn in it. */
- (void)toggleParent:(FKNode *)knob
{
    [self toggle:knob->parent];
    [knob setValue:knob->parent->value];
}

- (void)showKeyboard:(BOOL)shown
{
    FKNode *window = [root->children objectAtIndex:0];
    FKNode *old = [window findType:XCUIElementTypeKeyboard];
    if ((old != nil) == shown || [self setting:@"FAKE_HARDWARE_KEYBOARD"] != nil) {
        return;
    }
    if (!shown) {
        [old remove];
        return;
    }
    FKNode *keyboard =
        put(window, XCUIElementTypeKeyboard, @"", @"", CGRectMake(0, 553, 390, 287));
    for (int i = 0; i < 26; i++) {
        put(keyboard, XCUIElementTypeKey, @"", [NSString stringWithFormat:@"%c", 'a' + i],
            CGRectMake((CGFloat)(i % 10) * 39, 560 + (CGFloat)(i / 10) * 54, 39, 54));
    }
}

- (void)focusOn:(FKNode *)node
{
    if ([[self setting:@"FAKE_FOCUS"] isEqualToString:@"never"]) {
        return;
    }
    if (focus != nil) {
        focus->focused = NO;
    }
    focus = node;
    focus->focused = [self setting:@"FAKE_FOCUS_UNREPORTED"] == nil;
    [self showKeyboard:YES];
}

- (void)showAlert:(FKNode *)node
{
    FKNode *alert = put([root->children objectAtIndex:0], XCUIElementTypeAlert, @"",
                        @"Delete it?", CGRectMake(60, 350, 270, 120));
    NSString *move = [self setting:@"FAKE_ALERT_MOVE"];
    (void)node;
    alert->offsets = move != nil ? offsets(move) : nil;
    put(alert, XCUIElementTypeStaticText, @"", @"Delete it?", CGRectMake(76, 360, 238, 20));
    put(alert, XCUIElementTypeStaticText, @"", @"This cannot be undone.",
        CGRectMake(76, 380, 238, 20));
    put(alert, XCUIElementTypeButton, @"", @"L\u00f6schen", CGRectMake(195, 426, 135, 44))
        ->action = @"choose";
    put(alert, XCUIElementTypeButton, @"", @"Abbrechen", CGRectMake(60, 426, 135, 44))->action =
        @"choose";
}

- (void)showSheet:(FKNode *)node
{
    static NSString *const labels[] = {@"Kopieren", @"Teilen", @"Abbrechen"};
    FKNode *sheet = put([root->children objectAtIndex:0], XCUIElementTypeSheet, @"", @"",
                        CGRectMake(0, 600, 390, 200));
    (void)node;
    for (NSUInteger i = 0; i < 3; i++) {
        put(sheet, XCUIElementTypeButton, @"", labels[i],
            CGRectMake(10, 610 + 56 * (CGFloat)i, 370, 50))
            ->action = @"choose";
    }
}

- (void)ask:(FKNode *)node
{
    (void)node;
    [[FKPhone shared] ask:@"Darf \u201eFake\u201c deinen Standort verwenden?"];
}

- (void)choose:(FKNode *)node
{
    [[root find:@"chosen"] setLabel:node->label];
    [node->parent remove];
}

- (void)closeIt:(FKNode *)node
{
    [self note:[NSString stringWithFormat:@"answer %@", node->label]];
    [node->parent remove];
}

- (void)openIcon:(FKNode *)node
{
    FKPhone *phone = [FKPhone shared];
    FKApp *app = [phone app:@"com.example.fake"];
    (void)node;
    if (app->state == XCUIApplicationStateNotRunning) {
        [app startWithArguments:[NSArray array] environment:[NSDictionary dictionary]];
    }
    [phone bring:app];
}

- (void)act:(FKNode *)node
{
    struct {
        NSString *action;
        SEL does;
    } actions[] = {{@"count", @selector(countFor:)},
                   {@"toggle", @selector(toggle:)},
                   {@"toggle-parent", @selector(toggleParent:)},
                   {@"focus", @selector(focusOn:)},
                   {@"alert", @selector(showAlert:)},
                   {@"sheet", @selector(showSheet:)},
                   {@"ask", @selector(ask:)},
                   {@"choose", @selector(choose:)},
                   {@"close", @selector(closeIt:)},
                   {@"open", @selector(openIcon:)}};
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (node != nil && node->enabled && [node->action isEqualToString:actions[i].action]) {
            [self performSelector:actions[i].does withObject:node];
            return;
        }
    }
}

@end
