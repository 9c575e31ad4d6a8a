/* rows.c: every sentence that the demo brain understands. See grammar.h for the patterns. The first
 * row that lets the whole goal be understood wins, so the longer stands before the shorter. `help
 * demo` prints the examples. */
#include "mock/brain/grammar.h"

#define SETTINGS "Settings"
#define CONTACTS "Contacts"
#define REMINDERS "Reminders"
#define SHOP "Shop"
#define BANK "Bank"

#define THE "[the|a|an|my|this]"
#define CHECK "(check|verify|confirm|make sure|ensure|assert|see|expect) [that|whether|if]"
#define TELL                                                                                   \
    "(what 's|what is|whats|what are|which is|tell me|show me|look up|find out|give "          \
    "me|get|read|"                                                                             \
    "do you know|i need|what was)"
#define PHONE "(phone|telephone|mobile|cell|number|tel) [number]"
#define EMAIL "(email|e-mail|mail) [address]"
#define WITH "[with|and|whose|has] [the|a|an|his|her|their]"
#define BOOK "(contacts|contact list|address book|phone book|phonebook)"
#define CONTACT                                                                                \
    "(add|create|make|save|new) [a|the] [new] contact [named|called|for|with [the] name [of]]"
#define OPT_PHONE "[" WITH " [" PHONE "] [is|of] {bP}]"
#define OPT_EMAIL "[" WITH " [" EMAIL "] [is|of] {cE}]"
#define HIS "(his|her|their)"
#define REMIND                                                                                 \
    "(add|create|make|set|new) [up] [a|an|the|new] [new] reminder "                            \
    "[named|called|titled|for|to|saying|that says]"
/* When, in which list, with which note: in any order, and before the title takes more words. */
#define OPT_MORE                                                                               \
    "[[that is|which is] [due|for|by] [on] {cD}|"                                              \
    "(to|in|on|into) [the|my] (list {bU}|{bU} list)|"                                          \
    "[with|and] [the|a] note [saying|that says] {dU}]"
#define DELETE "(delete|remove|erase|get rid of)"
#define DONE "(done|completed|complete|finished)"
#define CART "[the|my] [shopping] (cart|basket|bag)"
#define SIGN_IN "(login|(log|sign) (in|on|into)) [to] [the|my] [shop|store]"
#define AS "[with|as|using|user] [the|my] [user] [name|username|account|user]"
#define PASSWORD "[and|with|using] [the|my|his|her] password [is]"
#define SWITCH "[switch|setting|toggle]"
#define PAGE "[page|settings|menu|section]"
#define SCREEN "(screen|display|phone|iphone)"
#define OPT_MARKET "[from|in|at] [the] [shop|store]"

#define SET_ON(how, example)                                                                   \
    {IA_STEP_SWITCH_ON, 0, SETTINGS, how " (in|for|on|under) [the] {bK} " PAGE, NULL, NULL},   \
    {                                                                                          \
        IA_STEP_SWITCH_ON, 0, SETTINGS, how, NULL, example                                     \
    }
#define SET_OFF(how, example)                                                                  \
    {IA_STEP_SWITCH_OFF, 0, SETTINGS, how " (in|for|on|under) [the] {bK} " PAGE, NULL, NULL},  \
    {                                                                                          \
        IA_STEP_SWITCH_OFF, 0, SETTINGS, how, NULL, example                                    \
    }

const struct ia_row ia_rows[] = {
    /* ---- where ---- */
    {IA_STEP_OPEN_APP, IA_ROW_GLUED, NULL, "(in|using|with) [the|my] {aC} [app|application]",
     NULL, NULL},
    {IA_STEP_OPEN_APP, 0, NULL,
     "(open|launch|start|run|show) [up] [the|my] {aC} [app|application]", NULL,
     "open Contacts"},
    {IA_STEP_OPEN_APP, 0, NULL, "(go|switch|navigate) to [the|my] {aC} [app|application]", NULL,
     NULL},
    {IA_STEP_CLOSE, 0, NULL, "(close|quit|terminate|kill) [the] {aC} [app|application]", NULL,
     "close the Contacts app"},
    {IA_STEP_HOME, IA_ROW_STAYS, NULL,
     "(go|return|navigate|press|tap) [back] [to] [the] home [screen|button]", NULL, "go home"},
    {IA_STEP_LOCK, IA_ROW_STAYS, NULL, "lock [the|my|this] " SCREEN, NULL, "lock the phone"},

    /* ---- settings ---- */
    {IA_STEP_SWITCH_ON, 0, SETTINGS,
     "if [the] {aK} is [turned|switched] off (turn|switch) it on", NULL, NULL},
    {IA_STEP_SWITCH_OFF, 0, SETTINGS,
     "if [the] {aK} is [turned|switched] on (turn|switch) it off", NULL,
     "if Bluetooth is on, turn it off"},
    SET_ON("(turn|switch|toggle|put) on [the|my] {aS} " SWITCH, "turn on dark mode"),
    SET_OFF("(turn|switch|toggle|put) off [the|my] {aS} " SWITCH, "switch off wifi"),
    SET_ON("(turn|switch|set|put) [the|my] {aS} " SWITCH " [to] on", NULL),
    SET_OFF("(turn|switch|set|put) [the|my] {aS} " SWITCH " [to] off", NULL),
    SET_ON("(enable|activate) [the|my] {aS} " SWITCH, NULL),
    SET_OFF("(disable|deactivate) [the|my] {aS} " SWITCH, "disable auto-correction"),
    {IA_STEP_SWITCH_ON, 0, SETTINGS, "[the|my] {aK} on", NULL, NULL},
    {IA_STEP_SWITCH_OFF, 0, SETTINGS, "[the|my] {aK} off", NULL, NULL},
    {IA_STEP_SWITCH_ON, 0, SETTINGS, "use [the|a] {aK}", NULL, "use the 24 hour clock"},
    {IA_STEP_SWITCH_ON, 0, SETTINGS,
     "i (want|need|would like) [the|my] {aK} [to be] [turned] on", NULL, NULL},
    {IA_STEP_SWITCH_OFF, 0, SETTINGS,
     "i (want|need|would like) [the|my] {aK} [to be] [turned] off", NULL, NULL},
    {IA_STEP_LEVEL, 0, SETTINGS,
     "(make|turn) [the|my] " SCREEN
     " {b%} [percentage] [percent|points] (brighter) [than it is [now]]",
     "a=Brightness|c=+", "make the screen 20 percentage points brighter"},
    {IA_STEP_LEVEL, 0, SETTINGS,
     "(make|turn) [the|my] " SCREEN
     " {b%} [percentage] [percent|points] (darker|dimmer) [than it is [now]]",
     "a=Brightness|c=-", NULL},
    {IA_STEP_LEVEL, 0, SETTINGS,
     "(turn|raise|increase|put) [up] [the|my] {aK} [up] by {b%} [percentage] [percent|points]",
     "c=+", NULL},
    {IA_STEP_LEVEL, 0, SETTINGS,
     "(turn|lower|reduce|decrease|put) [down] [the|my] {aK} [down] by {b%} [percentage] "
     "[percent|points]",
     "c=-", "turn the volume down by 10%"},
    {IA_STEP_LEVEL, 0, SETTINGS,
     "(set|turn|put|change|bring|raise|lower|move|increase|reduce|decrease) [up|down] [the|my] "
     "{aK} [level|slider] "
     "[up|down] [to|at] {b%} [percent]",
     NULL, "set the brightness to 80%"},
    {IA_STEP_LEVEL, 0, SETTINGS, "[the] {aK} to {b%} [percent]", NULL, NULL},
    {IA_STEP_SET_TEXT, 0, SETTINGS,
     "(rename|name|call) [this|the|my] (phone|iphone|device) [to|as|into] {bU}", "a=Name",
     "rename this phone to \"Test 7\""},
    {IA_STEP_SET_TEXT, 0, SETTINGS,
     "(change|set) [the|my] (phone|iphone|device) ['s] name to {bU}", "a=Name", NULL},
    {IA_STEP_SET_TEXT, 0, SETTINGS,
     "(change|set) the name of (this|the|my) (phone|iphone|device) to {bU}", "a=Name", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "[i want] [the|my] " SCREEN " [to|should] lock [itself|automatically] after {bL}",
     "a=Auto-Lock", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS, "lock [the|my] " SCREEN " [automatically] after {bL}",
     "a=Auto-Lock", "lock the screen after 2 minutes"},
    {IA_STEP_CHOOSE, 0, SETTINGS, "never show [the|my] notification previews",
     "a=Show Previews|b=Never", "never show notification previews"},
    {IA_STEP_CHOOSE, 0, SETTINGS, "always show [the|my] notification previews",
     "a=Show Previews|b=Always", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "show [the|my] notification previews [only] when [the|my] [phone|it] [is] unlocked",
     "a=Show Previews|b=When Unlocked", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "(sort|order) [the|my] contacts by first name [instead of [by] [the] last name]",
     "a=Sort Order|b=First, Last", "sort my contacts by first name"},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "(sort|order) [the|my] contacts by last name [instead of [by] [the] first name]",
     "a=Sort Order|b=Last, First", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "(connect|switch|change) [the|my|this] [phone] to [the] (wifi|wi-fi|wireless) network "
     "{bL}",
     "a=Wi-Fi", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS,
     "(connect|switch|change) [the|my|this] [phone] to [the] {bL} (wifi|wi-fi|wireless) "
     "[network]",
     "a=Wi-Fi", "connect to the Cafe Guest wifi network"},
    {IA_STEP_CHOOSE, 0, SETTINGS, "join [the] [network] {bL} [wifi|wi-fi|wireless] [network]",
     "a=Wi-Fi", NULL},
    {IA_STEP_CHOOSE, 0, SETTINGS, "(set|change|switch) [the|my] {aK} to {bL}", NULL,
     "set auto-lock to 1 minute"},
    {IA_STEP_READ_SETTING, 0, SETTINGS,
     "is [the|my] {aK} [currently|turned|switched] (on|off|enabled|disabled|active)", NULL,
     "is Bluetooth on?"},
    {IA_STEP_READ_SETTING, 0, SETTINGS,
     "(what|which) [version of] (ios|software) [version] [is|does] [this|the|my] "
     "[phone|iphone|device] [running|run|have|use|on|using|installed]",
     "a=iOS Version", "what version of iOS is this phone running?"},
    {IA_STEP_READ_SETTING, 0, SETTINGS,
     TELL " [the|my|this] [phone|iphone|device] ['s] {aK} [set to|of (this|the|my) "
          "(phone|iphone|device)|now]",
     NULL, "what is the serial number?"},
    {IA_STEP_READ_SETTING, 0, SETTINGS,
     "how much {aK} (is left|is there|is available|do i have|have i got) [left]", NULL, NULL},
    {IA_STEP_OPEN_APP, 0, SETTINGS, "(open|show|go to) [the|my] settings", "a=Settings", NULL},
    {IA_STEP_OPEN, 0, SETTINGS, "(open|show|go to) [the|my] {aK} (settings|page)", NULL,
     "open the accessibility settings"},

    /* ---- contacts ---- */
    {IA_STEP_ADD_CONTACT, 0, CONTACTS,
     "(add|create|make|save|new) [a|the] [new] contact [with] [the] first name {aN} [and] "
     "[the] last "
     "name {dN} " OPT_PHONE " " OPT_EMAIL,
     NULL, NULL},
    {IA_STEP_ADD_CONTACT, 0, CONTACTS, CONTACT " {aN} " OPT_PHONE " " OPT_EMAIL, NULL,
     "add a contact named Ada Lovelace with phone 555-0100 and email ada@example.com"},
    {IA_STEP_ADD_CONTACT, 0, CONTACTS, CONTACT " {aN} " OPT_EMAIL " " OPT_PHONE, NULL, NULL},
    {IA_STEP_ADD_CONTACT, 0, CONTACTS,
     "(add|put|save) {aN} (to|in|into|as) [my|the|a] [new] (" BOOK "|contact) " OPT_PHONE
     " " OPT_EMAIL,
     NULL, "add Bob Ross to my contacts, number 555-1234"},
    {IA_STEP_READ_CONTACT, 0, CONTACTS, TELL " {aN} 's " PHONE, "b=mobile",
     "what's Nora Abbott's phone number?"},
    {IA_STEP_READ_CONTACT, 0, CONTACTS, TELL " {aN} 's " EMAIL, "b=home", NULL},
    {IA_STEP_READ_CONTACT, 0, CONTACTS, TELL " [the] " PHONE " (of|for) {aN}", "b=mobile",
     NULL},
    {IA_STEP_READ_CONTACT, 0, CONTACTS, TELL " [the] " EMAIL " (of|for) {aN}", "b=home",
     "what is the email address of Mei Chen?"},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct|edit) {aN} 's " PHONE " to {cP}", "b=Phone",
     "change Mei Chen's number to 555-7777"},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct|edit) {aN} 's " EMAIL " to {cE}", "b=Email", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct|edit) {aN} 's last name to {cN}", "b=Last name", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct|edit) {aN} 's first name to {cN}", "b=First name", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct) the " PHONE " (of|for) {aN} to {cP}", "b=Phone", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS,
     "(change|update|set|correct) the " EMAIL " (of|for) {aN} to {cE}", "b=Email", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "(add|save|give) [the] " EMAIL " {cE} (to|for) {aN}",
     "b=Email", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "(add|save|give) [the] " PHONE " {cP} (to|for) {aN}",
     "b=Phone", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "{aN} 's [new] " PHONE " is [now] {cP}", "b=Phone",
     NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "{aN} 's [new] " EMAIL " is [now] {cE}", "b=Email",
     NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "{aN} 's [new] last name is [now] {cN}", "b=Last name",
     NULL},
    {IA_STEP_TOPIC, 0, NULL,
     "{aN} (got married|moved|has moved|(got|has) a new (" PHONE "|" EMAIL "|name))", NULL,
     NULL},
    {IA_STEP_TOPIC, 0, NULL,
     "{aN} [finally|just|has] (gave|given|sent|told) me " HIS " [new] (" PHONE "|" EMAIL ")",
     NULL, NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, HIS " [new] " PHONE " is [now] {cP}", "a=it|b=Phone",
     NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, HIS " [new] " EMAIL " is [now] {cE}", "a=it|b=Email",
     NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, HIS " [new] last name is [now] {cN}",
     "a=it|b=Last name", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "it ('s|is) [now] {cE}", "a=it|b=Email", NULL},
    {IA_STEP_EDIT_CONTACT, 0, CONTACTS, "it ('s|is) [now] {cP}", "a=it|b=Phone", NULL},
    {IA_STEP_NOTHING, 0, NULL,
     "(update|change|save|put|store|add) [it|this|that] [in|to|on|into] (his|her|their|the) "
     "contact [card|entry]",
     NULL, NULL},
    {IA_STEP_DELETE, 0, CONTACTS, DELETE " [the|my] contact [of|for|named|called] {aN}", NULL,
     "delete the contact Adam Young"},
    {IA_STEP_DELETE, 0, CONTACTS, DELETE " {aN} from [the|my] " BOOK, NULL,
     "remove Zoe Walker and Ravi Rao from my address book"},
    {IA_STEP_COUNT, 0, CONTACTS,
     "how many contacts (do i have|are there|have i got|does this phone have)", "a=Contacts",
     "how many contacts do I have?"},

    /* ---- reminders ---- */
    {IA_STEP_ADD_LIST, 0, REMINDERS,
     "(add|create|make|new) [a|the] [new] [reminder|reminders] list [named|called|for] {aU}",
     NULL, "make a new reminder list called Packing"},
    {IA_STEP_CANNOT, 0, NULL,
     "(remind me|(add|create|make|set) [a|the] reminder) {dT} with [a|the] "
     "[high|low|medium|top] "
     "priority",
     "a=it sets no priority of a reminder", NULL},
    {IA_STEP_ADD_REMINDER, 0, REMINDERS, "remind me {cD} to {aT}", NULL, NULL},
    {IA_STEP_ADD_REMINDER, 0, REMINDERS,
     "remind me (to|about|of) {aT} " OPT_MORE " " OPT_MORE " " OPT_MORE, NULL,
     "remind me to buy eggs tomorrow"},
    {IA_STEP_ADD_REMINDER, 0, REMINDERS, REMIND " {aU} " OPT_MORE " " OPT_MORE " " OPT_MORE,
     NULL,
     "add a reminder called \"Prepare demo\" to the Work list, due next week, with the note "
     "\"short\""},
    {IA_STEP_ADD_REMINDER, 0, REMINDERS, "(add|put) {aU} (to|on|in|onto) [my|the] {bU} list",
     NULL, "add cheese to my groceries list"},
    {IA_STEP_COMPLETE_ALL, 0, REMINDERS,
     "(tick off|check off|complete|finish|cross off) (everything|all [reminders|items|of "
     "it]|every (reminder|item)) [that 's|that is] [still] [open|left|due] (in|on) [the|my] "
     "[list] {aU} [list]",
     NULL, "tick off everything that's still open in Groceries"},
    {IA_STEP_COMPLETE_ALL, 0, REMINDERS,
     "mark (everything|all [reminders|items]|every (reminder|item)) (in|on) [the|my] [list] "
     "{aU} [list] as " DONE,
     NULL, NULL},
    {IA_STEP_COMPLETE, 0, REMINDERS,
     "(mark|set|tick|check) [off] [the|my] [reminder|task|todo] {aL} [off] as " DONE, NULL,
     "mark 'Water the plants' as done"},
    {IA_STEP_COMPLETE, 0, REMINDERS, "(complete|finish) [the|my] (reminder|task|todo) {aL}",
     NULL, NULL},
    {IA_STEP_COMPLETE, 0, REMINDERS, "complete [the|my] {aL} (reminder|task|todo)", NULL, NULL},
    {IA_STEP_COMPLETE, 0, REMINDERS,
     "(tick|check|cross) off [the|my] [reminder|task|todo] {aL}", NULL, NULL},
    {IA_STEP_COMPLETE, 0, REMINDERS, "(tick|cross) [the|my] {aL} [reminder|task|todo] off",
     NULL, NULL},
    {IA_STEP_TOPIC, 0, NULL, "i [have|'ve] (already|just) {aL}", NULL, NULL},
    {IA_STEP_DUE, 0, REMINDERS,
     "(push|move|postpone|reschedule|defer|shift|delay) [the|my] [reminder] {aL} [reminder] "
     "[forward|back|off] (to|until|till|for) {cD}",
     NULL, "push the quarterly report reminder to tomorrow"},
    {IA_STEP_DUE, 0, REMINDERS,
     "(set|change) the (due date|date|day) of [the|my] [reminder] {aL} [reminder] to {cD}",
     NULL, NULL},
    {IA_STEP_DUE, 0, REMINDERS, "make [the|my] [reminder] {aL} [reminder] due [on] {cD}", NULL,
     NULL},
    {IA_STEP_DELETE_DONE, 0, REMINDERS,
     "(delete|remove|clear) (all|every|all of|all the) [the|my] (completed|done|finished) "
     "(reminders|reminder|tasks) [in every list|in "
     "all lists|from all lists|everywhere]",
     NULL, "delete all completed reminders"},
    {IA_STEP_DELETE, 0, REMINDERS, DELETE " [the|my] reminder [to|called|named|for] {aU}", NULL,
     NULL},
    {IA_STEP_DELETE, 0, REMINDERS, DELETE " [the|my] {aU} reminder", NULL,
     "delete the milk reminder"},
    {IA_STEP_READ_LIST, 0, REMINDERS,
     "what (do|must|should) i [have] [to|need to] (do|remember) [for] today", "a=Today",
     "what do I have to do today?"},
    {IA_STEP_READ_LIST, 0, REMINDERS,
     "(what ('s|is)|show me what ('s|is)) [still] (due|to do|on) [for] today", "a=Today", NULL},
    {IA_STEP_READ_LIST, 0, REMINDERS, "(show|tell|read) me [my|the|all] reminders for today",
     "a=Today", NULL},
    {IA_STEP_READ_LIST, 0, REMINDERS,
     "(what ('s|is)|show me what ('s|is)) [still|left] (on|in) [the|my] {aU} list", NULL,
     "what is on my Groceries list?"},

    /* ---- the shop ---- */
    {IA_STEP_LOGIN, 0, SHOP, SIGN_IN " " AS " {aW} " PASSWORD " {bW}", NULL,
     "log in to the shop as ada with password engine-1843"},
    {IA_STEP_LOGIN, 0, SHOP, SIGN_IN " " AS " {aW} lparen [password] {bW}", NULL, NULL},
    {IA_STEP_LOGIN, 0, SHOP, SIGN_IN " " AS " {aW} / {bW}", NULL, NULL},
    {IA_STEP_LOGIN, 0, SHOP,
     "[with|use|using] [my|the] [shop] (account|login|user|username|user name) [name|is] {aW} "
     "[and|/] " PASSWORD " {bW}",
     NULL, NULL},
    {IA_STEP_LOGIN, 0, SHOP,
     "[with|use|using] [my|the] [shop] (account|login|user) [is] {aW} / {bW}", NULL, NULL},
    {IA_STEP_LOGIN, 0, BANK,
     "(login|(log|sign) (in|on|into)) [to] [the|my] bank " AS " {aW} " PASSWORD " {bW}", NULL,
     "log in to the bank as ada with password ledger-1815"},
    {IA_STEP_CODE, 0, NULL, "(use|copy|get) the code (from|in) [the] messages [app]", "a=Code",
     "use the code from the Messages app"},
    {IA_STEP_TAP, 0, SHOP, "(log|sign) out [of] [the] [shop]", "a=Log Out",
     "log out of the shop"},
    {IA_STEP_TAKE_OUT, 0, SHOP, "(delete|remove|take) [the|my] {aL} (from|out of) " CART, NULL,
     "remove the Sketchbook from the cart"},
    {IA_STEP_ADD_TO_CART, 0, SHOP, "(add|put) {aI} (to|into|in) " CART, NULL,
     "put two desk lamps into my cart"},
    {IA_STEP_ADDRESS, 0, SHOP,
     "[and] [have|get] [it|them|everything|this] (ship|send|deliver|shipped|sent|delivered) "
     "[it|them|everything|this] to {aN} comma {bU} comma {cN} [zip|zip code|postcode] {d#}",
     NULL, "ship to Ada Lovelace, 12 Analytical Way, London, zip 10243"},
    {IA_STEP_ADDRESS, 0, SHOP,
     "[the|my] [shipping|delivery] address is {aN} comma {bU} comma {cN} [zip|zip "
     "code|postcode] {d#}",
     NULL, NULL},
    {IA_STEP_BUY, 0, SHOP, "(order|buy|purchase) {aI} " OPT_MARKET, NULL,
     "order two desk lamps"},
    {IA_STEP_COUPON, 0, SHOP,
     "(apply|use|redeem) [the|a|my] (coupon|voucher|code) [code] {aW} [to " CART "]", NULL,
     "apply the coupon WELCOME10"},
    {IA_STEP_READ_PRICE, 0, SHOP,
     "(how much (does|do|is|are)|what (does|do)) {aI} (cost|sell for) " OPT_MARKET, NULL,
     "how much does the Wool Blanket cost?"},
    {IA_STEP_READ_PRICE, 0, SHOP, "how much (is|are) {aI} " OPT_MARKET, NULL, NULL},
    {IA_STEP_READ_PRICE, 0, SHOP, TELL " the price (of|for) {aI}", NULL, NULL},
    {IA_STEP_TAP, 0, NULL, "(check|go|proceed) [to|with] (out|checkout)", "a=Check Out", NULL},
    {IA_STEP_TAP, 0, NULL, "place [the|my|an] order", "a=Place Order", NULL},

    /* ---- what it can tell but not do ---- */
    {IA_STEP_CANNOT, 0, NULL, "(draw|sketch|paint) {dL}",
     "a=what is on the drawing board is only in pixels, which I do not see", NULL},
    {IA_STEP_CANNOT, 0, NULL, "(call|phone|ring) {dN}", "a=I do not make calls", NULL},

    /* ---- limits that are kept anyway ---- */
    {IA_STEP_NOTHING, 0, NULL,
     "(do not|don't|dont|never|without) (touch|touching|change|changing|delete|remove|turn "
     "off|turn on|open) "
     "(anything [else]|it|them|{aK})",
     NULL, NULL},
    {IA_STEP_NOTHING, 0, NULL,
     "(do not|don't|dont|without) (check out|checking out|(buy|order|ordering|buying) "
     "[it|anything [else]|them] [yet])",
     NULL, NULL},
    {IA_STEP_NOTHING, 0, NULL,
     "(confirm|accept|allow|agree) [it|that] (if|when) (it|the phone|you are|you're|i "
     "am|asked) "
     "[asks|asked|wants to]",
     NULL, NULL},
    {IA_STEP_NOTHING, 0, NULL, "(no|without) [a|an] (" EMAIL "|" PHONE "|note|notes|due date)",
     NULL, NULL},
    {IA_STEP_NOTHING, 0, NULL,
     "(otherwise|else|if not) (leave it [alone|as it is|be]|do nothing|nothing)", NULL, NULL},
    {IA_STEP_NOTHING, 0, NULL, "(please|thanks|thank you|for me|that 's all|that is all)", NULL,
     NULL},

    /* ---- anything on the screen ---- */
    {IA_STEP_SCREENSHOT, 0, NULL,
     "(take|make|capture) " THE " (screenshot|picture|screen shot) [of the screen]", NULL,
     "take a screenshot"},
    {IA_STEP_SCREENSHOT, 0, NULL, "screenshot", NULL, NULL},
    {IA_STEP_BACK, IA_ROW_STAYS, NULL, "(go|navigate|return|press|tap) [the] back [button]",
     NULL, "go back"},
    {IA_STEP_BACK, IA_ROW_STAYS, NULL, "(go|navigate|return) back to [the] {aL}", NULL, NULL},
    {IA_STEP_BACK, IA_ROW_STAYS, NULL, "back", NULL, NULL},
    {IA_STEP_ACCEPT, 0, NULL, "(accept|allow|confirm) " THE " (alert|dialog|prompt|popup)",
     NULL, "accept the alert"},
    {IA_STEP_DISMISS, 0, NULL,
     "(dismiss|cancel|deny|decline) " THE " (alert|dialog|prompt|popup)", NULL,
     "dismiss the alert"},
    {IA_STEP_HOLD, 0, NULL,
     "(long press|long tap|long-press) [on] [the] {aL} [button|row|icon|cell]", NULL, NULL},
    {IA_STEP_HOLD, 0, NULL, "(press|tap|touch) and hold [on] [the] {aL} [button|row|icon|cell]",
     NULL, "press and hold the Photos icon"},
    {IA_STEP_SCROLL, 0, NULL, "scroll [down|up] (to|until you see) [the] {aL}", NULL,
     "scroll to Privacy"},
    {IA_STEP_SWIPE, 0, NULL, "scroll [further|a bit] down [the list|the page|a bit]", "a=up",
     "scroll down"},
    {IA_STEP_SWIPE, 0, NULL, "scroll [further|a bit] up [the list|the page|a bit]", "a=down",
     NULL},
    {IA_STEP_SWIPE, 0, NULL, "scroll {aR}", NULL, NULL},
    {IA_STEP_SWIPE, 0, NULL, "swipe [to the] {aR}", NULL, "swipe left"},
    {IA_STEP_SCROLL, 0, NULL, "find [the] {aL}", NULL, NULL},
    {IA_STEP_SEARCH, 0, NULL, "search [for] {aU} [in the list]", NULL, "search for osei"},
    {IA_STEP_SEARCH, 0, NULL, "look for {aU}", NULL, NULL},
    {IA_STEP_WAIT, 0, NULL,
     "wait (for|until) [the] {aL} [to] (appear|appears|is visible|is shown|shows up|be "
     "visible|load|"
     "loads)",
     NULL, "wait until Done appears"},
    {IA_STEP_WAIT, 0, NULL, "wait for [the] {aL}", NULL, NULL},
    {IA_STEP_WAIT, 0, NULL, "wait [a] [moment|bit|second]", NULL, NULL},
    {IA_STEP_CLEAR, 0, NULL, "(clear|empty) [the] {aL} [field|box]", NULL,
     "clear the Search field"},
    {IA_STEP_TYPE, 0, NULL, "fill [in|out] [the] {bU} [field|box] with {aU}", NULL, NULL},
    {IA_STEP_TYPE, 0, NULL, "set [the] {bU} [field] to {aU}", NULL, NULL},
    {IA_STEP_TYPE, 0, NULL,
     "(type|enter|write|input|put|fill) {aT} (into|in|to) [the] {bU} [field|box|text field]",
     NULL, "type hello into Notes"},
    {IA_STEP_TYPE, 0, NULL, "(type|enter|write|input) {aU}", NULL, NULL},
    {IA_STEP_DELETE, 0, NULL, DELETE " " THE " [entry|item|row] {aN}", NULL,
     "delete Luca Bianchi"},
    {IA_STEP_DELETE, 0, NULL, DELETE " " THE " [entry|item|row] {aU}", NULL, NULL},

    /* ---- checks ---- */
    {IA_STEP_CHECK_GONE, IA_ROW_STAYS, "Contacts",
     CHECK " [the] {aL} (is not|isn't|is no longer) (in|among) [the|my] (contacts|contact list|"
           "address book)",
     "b=Contacts", NULL},
    {IA_STEP_CHECK_GONE, IA_ROW_STAYS, "Contacts",
     CHECK " there is no contact [named|called] {aL}", "b=Contacts", NULL},
    {IA_STEP_CHECK_LIST, IA_ROW_STAYS, "Contacts",
     CHECK " [the] {aL} (is|appears|stands|shows up) [listed] (in|among) [the|my] (contacts|"
           "contact list|address book)",
     NULL, NULL},
    {IA_STEP_CHECK_GONE, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} (is not|isn't|is no longer) [in|on|visible|shown|there|listed] "
           "[the|my] [list|screen|page|contacts]",
     NULL, "check that Ada Lovelace is not in the list"},
    {IA_STEP_CHECK_GONE, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} (is gone|is deleted|is removed|has gone)", NULL, NULL},
    {IA_STEP_CHECK_GONE, IA_ROW_STAYS, NULL,
     CHECK " there is no {aL} [in|on] [the] [list|screen]", NULL, NULL},
    {IA_STEP_CHECK_LIST, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} (is|appears|stands|shows up) [listed] (in|on) "
           "[the|my] (list|contacts|contact list|results)",
     NULL, "check that Ada Lovelace is in the list"},
    {IA_STEP_CHECK_LIST, IA_ROW_STAYS, NULL, CHECK " [the] {aL} is listed", NULL, NULL},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} (is|appears|stands|shows up) (in|on) [the|my] (screen|page)", NULL,
     NULL},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} is (visible|shown|displayed|there|present|open|opened)", NULL,
     "check that Model Name is visible"},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL, CHECK " [the] {aL} (appears|exists|shows up)",
     NULL, NULL},
    {IA_STEP_CHECK_ON, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} " SWITCH " is [turned|switched] (on|enabled|checked)", NULL,
     "check that Airplane Mode is on"},
    {IA_STEP_CHECK_OFF, IA_ROW_STAYS, NULL,
     CHECK " [the] {aL} " SWITCH " is [turned|switched] (off|disabled|unchecked)", NULL, NULL},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL, CHECK " " CART " is empty", "a=Cart Is Empty",
     NULL},
    {IA_STEP_CHECK_VALUE, IA_ROW_STAYS, NULL, CHECK " [the] [reminder] {aL} is due [on] {bL}",
     NULL, NULL},
    {IA_STEP_CHECK_VALUE, IA_ROW_STAYS, NULL,
     CHECK
     " [the] {aL} [field] (says|reads|shows|is set to|equals|has the value|contains) {bL}",
     NULL, NULL},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL,
     CHECK " there is " THE
           " [contact|entry|row|button|text] [named|called] {aL} [in|on] [the] "
           "[list|screen]",
     NULL, NULL},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL, CHECK " you can see [the] {aL}", NULL, NULL},
    {IA_STEP_CHECK_VALUE, IA_ROW_STAYS, NULL, CHECK " [the] {aL} is {bL}", NULL,
     "check that the total is $45.80"},
    {IA_STEP_CHECK_VISIBLE, IA_ROW_STAYS, NULL, CHECK " [for] [the] {aL}", NULL, NULL},

    {IA_STEP_OPEN, 0, NULL, "(open|launch|start|run|show) [up] [the|my] {aL} [app|application]",
     NULL, NULL},
    {IA_STEP_OPEN, 0, NULL,
     "(go|switch|navigate) to [the|my] {aL} [app|application|screen|page|tab]", NULL, NULL},
    {IA_STEP_TAP, 0, NULL,
     "(tap|press|select|choose|click|hit|pick|push|touch) [on] [the] {aL} "
     "[button|row|cell|icon|tab|link|item|option|key|category]",
     NULL, "tap Done"},
};
const size_t ia_row_count = IA_COUNTOF(ia_rows);
