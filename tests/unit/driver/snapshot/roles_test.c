/* What the text form says of each kind of element. */
#include "test.h"

#include "draw.h"

#define SCREEN "Application 0,0,400,800\n"

static const struct {
    const char *tree, *lines;
} cases[] = {
    /* controls and their states */
    {" Button 'Log in' 10,100,100,40\n", "1 button Log in\n"},
    {" Button 'Log in' 10,100,100,40 disabled\n", "1 button:disabled Log in\n"},
    {" Switch 'Wi-Fi' ='1' 10,100,50,30\n", "1 switch:on Wi-Fi\n"},
    {" Switch 'Wi-Fi' ='0' 10,100,50,30\n", "1 switch:off Wi-Fi\n"},
    {" Switch 'WLAN' ='Ein' 10,100,50,30\n", "1 switch WLAN = Ein\n"},
    {" CheckBox 'All' ='2' 10,100,50,30\n", "1 checkbox:mixed All\n"},
    {" TextField 'Name' ='Ada' 10,100,200,40 focused\n", "1 field:focused Name = Ada\n"},
    {" TextField ='Name' ?'Name' 10,100,200,40\n", "1 field Name\n"},
    {" SecureTextField 'PIN' ='••••' 10,100,200,40\n", "1 password PIN = ••••\n"},
    {" SearchField ?'Search' 10,100,200,40\n", "1 search Search\n"},
    {" Slider 'Volume' ='50%' 10,100,200,40\n", "1 slider Volume = 50%\n"},
    {" Link 'Terms' 10,100,200,40\n", "1 link Terms\n"},
    {" PickerWheel ='May' 10,100,200,40\n", "1 picker = May\n"},
    {" StaticText 'Hello' 10,100,200,40\n", "1 text Hello\n"},
    {" StaticText 'Hello' ='Hello' 10,100,200,40\n", "1 text Hello\n"},
    {" StaticText 'Taps: 3' ='3' 10,100,200,40\n", "1 text Taps: 3\n"},
    {" SegmentedControl 0,100,400,50\n  Button 'All' ='1' 0,100,200,50\n",
     "1 segment:selected All\n"},
    {" Other 'Home Me' 0,700,400,60\n  Other 'Home' 0,700,200,60\n  Other 'Me' "
     "200,700,200,60\n",
     "1 other Home\n2 other Me\n"},
    {" Other 'Shoe Add' 0,100,400,120\n  StaticText 'Shoe' 10,110,90,30\n  Other 'Add' "
     "300,110,90,50\n",
     "1 text Shoe\n2 other Add\n"},
    {" Other #cart 340,50,44,44\n", "1 other #cart\n"},
    {" Switch 'Wi-Fi' ='1' 0,100,400,40\n  Switch ='1' 340,105,50,30\n", "1 switch:on Wi-Fi\n"},
    {" Cell 0,100,400,60\n  StaticText 'Wi-Fi' 10,110,90,30\n"
     "  Switch 'Wi-Fi' ='1' 0,100,400,60\n   Switch ='1' 340,105,50,30\n",
     "1 switch:on Wi-Fi\n"},
    {" Stepper 'Adults' 20,100,350,32\n  Button 'Less' 276,100,47,32\n  Button 'More' "
     "323,100,47,32\n",
     "1 stepper Adults\n2 button Less\n3 button More\n"},
    {" Cell 'Pay' 0,100,400,60\n  Button 'Pay' 0,100,400,60 disabled\n",
     "1 row:disabled Pay\n"},
    {" Cell 'Look' 0,100,400,60\n  Button #look 'Look' ='Dark' 0,100,400,60 selected\n",
     "1 row:selected Look = Dark\n"},
    {" Cell 0,100,400,60\n  StaticText 'Ajax' 10,110,90,30\n  StaticText '2' 110,110,20,30\n"
     "  StaticText 'PSV' 200,110,90,30\n  StaticText '2' 300,110,20,30\n",
     "1 row Ajax, 2, PSV, 2\n"},
    {" Cell 0,100,400,60\n  Other 'Milk' 0,100,90,60\n   StaticText 'Milk' 0,100,90,60\n",
     "1 row Milk\n"},
    {" Cell 0,100,400,60\n  StaticText 'Film' 10,110,90,30\n  ProgressIndicator 'Progress' "
     "='40%' 110,110,90,30\n",
     "1 row Film, Progress 40%\n"},
    {" Cell 0,100,400,60\n  StaticText 'Large' 10,110,90,30\n  Image #checkmark 'Selected' "
     "360,110,20,20\n",
     "1 row:selected Large\n"},
    {" TabBar 0,750,400,50\n  Button 'Home' 0,750,200,50 selected\n  Button 'Me' "
     "200,750,200,50\n",
     "1 tab:selected Home\n2 tab Me\n"},
    {" TabBar 0,750,400,50\n  Button 'Home' ='1' 0,750,200,50\n  Button 'Me' ='0' "
     "200,750,200,50\n",
     "1 tab:selected Home\n2 tab Me\n"},
    /* beside the chosen one, a number is a badge */
    {" TabBar 0,750,400,50\n  Button 'Home' ='1' 0,750,200,50 selected\n  Button 'Chats' ='1' "
     "200,750,200,50\n",
     "1 tab:selected Home\n2 tab Chats = 1\n"},
    /* a mark at the row's end, or one of those that can be ticked, and no other */
    {" Button 'Confirm order' 20,700,360,50\n  Image #checkmark.circle 'Selected' "
     "40,715,20,20\n"
     "  StaticText 'Confirm order' 70,715,200,20\n",
     "1 button Confirm order\n"},
    {" Button 'Done' 340,60,44,44\n  Image #checkmark 'Selected' 352,72,20,20\n",
     "1 button Done\n"},
    {" Cell 0,100,400,60\n  Image #checkmark.circle.fill 'Selected' 16,120,20,20\n"
     "  StaticText 'Order delivered' 50,120,200,20\n",
     "1 row Order delivered\n"},
    {" Cell 0,100,400,60\n  Image #checkmark.circle.fill 'Selected' 16,120,20,20\n"
     "  StaticText 'Milk' 50,120,200,20\n"
     " Cell 0,160,400,60\n  Image #circle 16,180,20,20\n  StaticText 'Bread' 50,180,200,20\n",
     "1 row:selected Milk\n2 row Bread\n"},
    {" Cell 0,100,400,60\n  Image #checkmark 16,120,20,20\n  StaticText 'Home' 50,120,200,20\n"
     " Cell 0,160,400,60\n  StaticText 'Cafe' 50,180,200,20\n",
     "1 row:selected Home\n2 row Cafe\n"},
    {" Cell 0,100,400,60\n  Image #checkmark 16,120,20,20\n  StaticText 'Mark' 50,120,200,20\n"
     " Cell 0,160,400,60\n  Image #trash 16,180,20,20\n  StaticText 'Delete' 50,180,200,20\n",
     "1 row Mark\n2 row Delete\n"},
    {" Cell 0,100,400,60\n  StaticText 'كبير' 250,110,140,30\n  Image #checkmark "
     "20,110,20,20\n",
     "1 row:selected كبير\n"},
    {" Cell 'Large' 0,100,400,60\n  StaticText 'Large' 10,110,90,30\n"
     "  Button 'checkmark' 366,120,18,18 disabled\n",
     "1 row:selected Large\n"},
    /* section headers are no rows */
    {" Table 0,100,400,700\n  Cell 0,100,400,40\n   StaticText 'Me' 16,110,200,20 header\n"
     "  Cell 'Ada' 0,140,400,60\n  Cell 'You' 0,200,400,40 header\n"
     "   StaticText 'You' 16,210,200,20\n  Cell 'Nora' 0,240,400,60\n",
     "1 heading Me\n2 row Ada\n3 heading You\n4 row Nora\n"},
    {" Cell 0,100,400,60\n  StaticText 'Ada' 16,110,200,20 header\n"
     "  StaticText 'Call her' 16,130,200,20\n",
     "1 row Ada, Call her\n"},
    /* WebDriverAgent's mistake about texts in a row that is seen */
    {" Cell 'Ada' 0,100,400,60\n  StaticText 'Ada' 10,110,90,30\n"
     "  StaticText '12 new' 300,110,90,30 invisible\n",
     "1 row Ada, 12 new\n"},
    /* what says nothing of its own */
    {" Link 'Ada' 10,100,200,30\n  TextField ='Ada' 12,102,190,26\n"
     "  Link 'Ada' 20,105,100,20\n   StaticText 'Ada' 20,105,100,20\n",
     "1 link Ada\n"},
    {" Link 'Ada' 10,100,200,30\n  Button 'Remove' 180,102,26,26\n",
     "1 link Ada\n2 button Remove\n"},
    {" Cell 'One' 0,100,400,60\n Cell 0,160,400,3\n Cell 'Two' 0,163,400,60\n",
     "1 row One\n2 row Two\n"},
    {" Button 'A' 10,100,44,44\n Button 0,0,400,800\n Button 'B' 10,200,44,44\n",
     "1 button A\n2 button B\n"},
    {" Button 0,0,400,800\n", "1 button\n"},
    {" SearchField '検索' ='検索' 10,100,200,40\n", "1 search 検索\n"},
    {" TextField 'Name' ='Name' ?'Your name' 10,100,200,40\n", "1 field Name = Name\n"},
    {" SearchField 'Search' ='Search' 10,100,200,40 focused\n",
     "1 search:focused Search = Search\n"},
    {" SegmentedControl 0,100,400,50\n  Button 'All' ='1' 0,100,200,50 selected\n",
     "1 segment:selected All\n"},
    {" ActivityIndicator 'In progress' ='1' 10,100,20,20\n", "1 progress In progress\n"},
    {" ActivityIndicator 'Loading' ='33%' 10,100,20,20\n", "1 progress Loading = 33%\n"},
    /* little pictures that say something, and none that is an arrow or a name of a picture */
    {" Cell 0,100,400,60\n  Image #circle.fill 'Unread' 8,110,12,12\n"
     "  Image #gear 'Wheel' 24,110,24,24\n  StaticText 'Nora' 60,110,90,20\n"
     "  Image 'lock' 300,110,16,16\n  Image #chevron.forward 'Forward' 380,110,10,14\n",
     "1 row Unread, Nora\n"},
    {" Icon 'Maps' 10,100,60,60\n", "1 icon Maps\n"},
    {" ActivityIndicator 180,300,20,20\n", "1 progress\n"},
    {" ProgressIndicator 'Upload' ='40%' 10,100,200,8\n", "1 progress Upload = 40%\n"},
    {" Button #close 10,100,44,44\n", "1 button #close\n"},
    {" StaticText '#1 in charts' 10,100,90,44\n", "1 text \"#1 in charts\"\n"},
    {" Button 10,100,44,44\n", "1 button\n"},
    /* React Native's roles and states are words in the value */
    {" Other 'Terms' ='checkbox, unchecked' 10,100,44,44\n", "1 checkbox:off Terms\n"},
    {" Other 'Red' ='radio button, checked' 10,100,44,44\n", "1 radio:on Red\n"},
    {" Other 'Land' ='combo box, collapsed' 10,100,90,44\n", "1 button Land = collapsed\n"},
    {" Other 'Red' ='radio button, not checked, busy' 10,100,44,44\n",
     "1 radio:off Red = busy\n"},
    {" Other 'Upload' ='busy, 40%' 10,100,44,44\n", "1 other Upload = busy, 40%\n"},
    /* wrappers cost nothing; texts fold into their row */
    {" Other 0,0,400,800\n  Other 0,0,400,800\n   Button 'A' 10,100,44,44\n", "1 button A\n"},
    {" Cell 0,100,400,60\n  StaticText 'Wi-Fi' 10,100,80,60\n  StaticText 'Home' "
     "300,100,80,60\n",
     "1 row Wi-Fi, Home\n"},
    {" Cell 'Wi-Fi' ='Home' 0,100,400,60\n  StaticText 'Wi-Fi' 10,100,80,60\n"
     "  StaticText 'Home' 300,100,80,60\n",
     "1 row Wi-Fi = Home\n"},
    {" Cell 'Wi-Fi' 0,100,400,60\n  Button 'chevron' 380,120,12,15 disabled\n",
     "1 row Wi-Fi\n"},
    {" Cell 'Bluetooth' 0,100,400,60\n  StaticText 'Bluetooth' 10,100,90,60\n"
     "  Switch 'Bluetooth' ='1' 330,110,50,30\n",
     "1 switch:on Bluetooth\n"},
    {" Cell 0,100,400,60\n  StaticText 'Bluetooth' 10,100,90,60\n"
     "  Switch ='1' 330,110,50,30\n  StaticText 'Visible to all' 10,140,90,10\n",
     "1 switch:on Bluetooth, Visible to all\n"},
    {" Cell 'Ada' 0,100,400,60\n  Button 'Call' 340,110,40,40\n", "1 row Ada\n2 button Call\n"},
    {" Button 'Buy' 10,100,200,50\n  StaticText 'Buy' 20,110,50,20\n  Image 'cart' "
     "80,110,20,20\n",
     "1 button Buy\n"},
    {" Button 10,100,200,50\n  Image 'cart' 80,110,20,20\n", "1 button cart\n"},
    {" Other 'Milk, 2 l' 0,100,400,60\n  StaticText 'Milk' 0,100,90,60\n"
     "  StaticText '2 l' 90,100,90,60\n",
     "1 other Milk, 2 l\n"},
    {" Other 'Login' 0,100,400,200\n  Other 'Login' 0,100,400,200\n   Button 'Login' "
     "0,100,90,60\n",
     "1 button Login\n"},
    {" StaticText 'Airplane' 10,100,90,30\n Switch 'Airplane' ='0' 300,100,50,30\n",
     "1 switch:off Airplane\n"},
    /* twins, decoration, what has no area */
    {" Button 'Dictate' 10,100,40,40\n Button 'Dictate' 10,100,40,40\n", "1 button Dictate\n"},
    {" Image 10,100,40,40\n Button 'Ghost' 10,100,0,0\n StaticText 'x' 10,200,40,40\n",
     "1 text x\n"},
    {" ScrollView 0,100,400,600\n  Other 'Vertical scroll bar, 3 pages' ='0%' 370,100,30,600\n"
     "  Button 'A' 10,100,40,40\n",
     "1 button A\n"},
    {" StaticText 'Off' 10,100,40,40 invisible\n Button 'On' 10,200,40,40\n", "1 button On\n"},
    {" Cell 'Gone' 0,100,400,60 invisible\n  StaticText 'Gone' 10,100,80,60 invisible\n", ""},
    {" Cell #id 0,100,400,60 invisible\n  StaticText 'Seen' 10,100,80,60\n", "1 row Seen\n"},
};

static void elements_read_as_they_are(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char tree[4096];
        snprintf(tree, sizeof(tree), "%s%s", SCREEN, cases[i].tree);
        wrong += !lines_are(tree, cases[i].lines);
    }
    assert_int_equal(wrong, 0);
}

static void a_title_stands_in_the_header_alone(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw("Application 0,0,400,800\n"
                                 " Table 0,94,400,706\n  Cell 'Row' 0,94,400,60\n"
                                 " NavigationBar #Settings 0,50,400,44\n"
                                 "  Button 'Back' 8,50,60,44\n"
                                 "  StaticText 'Settings' 150,50,100,44\n",
                                 refs);
    assert_string_equal(ia_snapshot_screen(s), "Settings");
    assert_non_null(strstr(header_of(s), ": Settings"));
    assert_string_equal(lines_of(s), "1 button Back\n3 row Row\n");
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static const struct {
    const char *why, *tree, *title;
} titles[] = {
    {"the bar's name where nothing else says it", " NavigationBar #Inbox 0,50,400,44\n",
     "Inbox"},
    {"not a class of the system", " NavigationBar #_TtGC7SwiftUI19UIHosting 0,50,400,44\n",
     NULL},
    {"nor of the app", " NavigationBar #RCCView 0,50,400,44\n", NULL},
    {"a heading of the page before the bar's name",
     " NavigationBar #main_bar 0,50,400,44\n StaticText 'Inbox' 16,100,200,40 header\n",
     "Inbox"},
    {"a heading that scrolls and is no part of a list before the bar's name",
     " NavigationBar #Contact 0,50,400,44\n ScrollView 0,94,400,700\n"
     "  StaticText 'Ada' 16,100,200,40 header\n  Button 'Call' 0,140,400,60\n",
     "Ada"},
    {"the bar's name before a heading that begins a list",
     " NavigationBar #Inbox 0,50,400,44\n Table 0,94,400,700\n"
     "  StaticText 'Today' 16,100,200,40 header\n  Cell 'Ada' 0,140,400,60\n",
     "Inbox"},
    {"once where both say the same",
     " NavigationBar #Inbox 0,50,400,44\n Table 0,94,400,700\n"
     "  StaticText 'Inbox' 16,100,200,40 header\n  Cell 'Ada' 0,140,400,60\n",
     "Inbox"},
    {"the name of the bar behind an alert",
     " NavigationBar #Inbox 0,50,400,44\n Alert 'Sure?' 60,300,280,200\n"
     "  Button 'OK' 60,450,140,50\n",
     "Inbox"},
};

static void a_bar_names_the_screen_where_nothing_else_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(titles); i++) {
        char tree[1024];
        snprintf(tree, sizeof(tree), "%s%s", SCREEN, titles[i].tree);
        print_message("%s\n", titles[i].why);
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = draw(tree, refs);
        assert_int_equal(!titles[i].title, !ia_snapshot_screen(s));
        if (titles[i].title) {
            assert_string_equal(ia_snapshot_screen(s), titles[i].title);
            /* In the header, and not a second time in a line. */
            char line[64];
            snprintf(line, sizeof(line), "heading %s\n", titles[i].title);
            assert_null(strstr(lines_of(s), line));
        }
        ia_snapshot_free(s);
        ia_refs_free(refs);
    }
}

static void hostile_text_cannot_forge_a_line_a_state_or_a_value(void **state)
{
    (void)state;
    assert_lines(SCREEN " Button 'Pay\\n7 button Cancel' 10,100,100,40\n",
                 "1 button Pay 7 button Cancel\n");
    assert_lines(SCREEN " Button 'a = b' 10,100,100,40\n", "1 button \"a = b\"\n");
    assert_lines(SCREEN " Button '=' 10,100,100,40\n", "1 button \"=\"\n");
    assert_lines(SCREEN " Button '\"x\" \\y' 10,100,100,40\n",
                 "1 button \"\\\"x\\\" \\\\y\"\n");
    assert_lines(SCREEN " Button '\u202eevil\u200b \u00a0  text\u2028' 10,100,100,40\n",
                 "1 button evil text\n");
}

/* Nobody gave it, and a view that has nothing else is nothing to touch. */
static void an_identifier_of_the_sdk_is_not_shown_and_makes_no_element(void **state)
{
    (void)state;
    assert_lines("Application 0,0,400,800\n"
                 " Button #ia~CartView/Button0 'Buy' 0,100,90,40\n"
                 " Button #ia~CartView/Button1 0,200,90,40\n"
                 " Other #ia~CartView/Other0 0,300,90,40\n"
                 " Other #mine 0,400,90,40\n"
                 " Other #ios-agent.state ='{\"v\":1}' 0,0,1,1\n",
                 "1 button Buy\n2 button\n3 other #mine\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_identifier_of_the_sdk_is_not_shown_and_makes_no_element),
        cmocka_unit_test(elements_read_as_they_are),
        cmocka_unit_test(a_title_stands_in_the_header_alone),
        cmocka_unit_test(a_bar_names_the_screen_where_nothing_else_does),
        cmocka_unit_test(hostile_text_cannot_forge_a_line_a_state_or_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
