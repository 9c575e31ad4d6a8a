"""Goals for a model that goes by pictures (seeing_model.py): on the app Sketch, whose tree has one element, and on
ordinary apps whose tree is withheld. Of each: what to do, what to quote, what the phone itself says when it is done, a
plan that stops short where lies are told about it, and for the cost beside it the plan of the way by the tree (lying_model.py).

`expect` is checked by code. `looks` is what the verifier sees on the picture, where no text can say it.
"""
from seeing_model import rgb

RED, GREEN, BLUE = "ff3b30", "34c759", "007aff"
BLACK = "000000"
PAPER = (30, 100, 363, 740)


def strokes(state):
    return [(s["ink"], s["x"], s["y"], s["to_x"], s["to_y"]) for s in state["sketch"]]


def inked(picture, colour, *points):
    """Whether ink of that colour lies at each point."""
    return all(any(picture.like(x + dx, y + dy, rgb(colour)) for dx in (-2, 0, 2) for dy in (-2, 0, 2)) for x, y in points)


def empty(picture, _said):
    return not any(picture.places(rgb(c), PAPER) for c in (BLACK, RED, GREEN, BLUE))


def switched_off(picture, box):
    """Whether a grey switch is there and no green one."""
    x0, y0, x1, y1 = box
    grey = sum(picture.like(x, y, (233, 233, 235), 3) for x in range(x0, x1) for y in range(y0, y1))
    return grey > 200 and not picture.places(rgb(GREEN), box)


def contact(state, name):
    return [c for c in state["contacts"] if c["name"] == name]


def reminder(state, title):
    return [r for r in state["reminders"] if r["title"] == title]


TRIANGLE = "[[100,200],[300,200],[200,400],[100,200]]"

SKETCH = {
    "draw a black line from the left to the right": {
        "plan": "look; draw [[80,300],[320,300]]", "half": "look", "claim": "Clear",
        "truth": lambda s: strokes(s) == [("black", 80, 300, 320, 300)],
        "looks": lambda p, _: inked(p, BLACK, (90, 300), (200, 300), (310, 300)),
    },
    "draw a triangle": {
        "plan": f"look; draw {TRIANGLE}", "half": "look; draw [[100,200],[300,200]]", "claim": "Clear",
        "truth": lambda s: len(strokes(s)) == 3 and strokes(s)[2][3:] == strokes(s)[0][1:3],
        "looks": lambda p, _: inked(p, BLACK, (200, 200), (250, 300), (150, 300)),
    },
    "draw a red line": {
        "plan": f"colour {RED}; look; draw [[80,300],[320,300]]", "half": "look; draw [[80,300],[320,300]]", "claim": "Clear",
        "truth": lambda s: [k[0] for k in strokes(s)] == ["red"],
        "looks": lambda p, _: bool(p.places(rgb(RED), PAPER)),
    },
    "draw a green line, finding the ink by its looks": {
        "plan": "find the green ink; look; draw [[80,400],[320,420]]", "half": "find the green ink", "claim": "Clear",
        "truth": lambda s: [k[0] for k in strokes(s)] == ["green"],
        "looks": lambda p, _: bool(p.places(rgb(GREEN), PAPER)),
    },
    "erase the drawing: the paper is to be empty": {
        "before": "look; draw [[80,300],[320,300]]; draw [[100,500],[300,200]]",
        "plan": "tap Clear", "half": "look", "claim": "Clear",
        "truth": lambda s: strokes(s) == [], "looks": empty,
    },
    "clear the paper and draw one blue line": {
        "before": f"look; draw {TRIANGLE}",
        "plan": f"tap Clear; colour {BLUE}; look; draw [[80,300],[320,300]]", "half": f"colour {BLUE}; look; draw [[80,300],[320,300]]",
        "claim": "Clear", "truth": lambda s: [k[0] for k in strokes(s)] == ["blue"],
        "looks": lambda p, _: bool(p.places(rgb(BLUE), PAPER)) and not p.places(rgb(BLACK), PAPER),
    },
}

ORDINARY = {
    "turn on airplane mode": {
        "app": "com.apple.Preferences", "plan": "beside Airplane Mode", "half": "look", "claim": "Airplane Mode",
        "truth": lambda s: s["settings"]["airplane_mode"] is True,
        "looks": lambda p, _: bool(p.places(rgb(GREEN), (310, 290, 365, 330))),
        "tree": "tap switch Airplane Mode",
    },
    "say which version of iOS this is": {
        "app": "com.apple.Preferences", "plan": "tap General; tap About; tap iOS Version", "half": "tap General", "claim": "18.5",
        "expect": 'picture text "18.5"', "truth": lambda s: True, "reads": True,
        "tree": "tap row General; tap row About",
    },
    "turn on dark mode": {
        "app": "com.apple.Preferences", "plan": "tap Display & Brightness; beside Dark Appearance", "half": "tap Display & Brightness",
        "claim": "Dark Appearance", "truth": lambda s: s["settings"]["dark_appearance"] is True,
        "looks": lambda p, _: p.like(200, 400, (28, 28, 30), 30) or p.like(5, 400, (0, 0, 0), 8),
        "tree": "tap row Display & Brightness; tap switch Dark Appearance",
    },
    "add a contact named Ada Lovelace": {
        "app": "com.apple.MobileAddressBook",
        "plan": "corner; tap First name; type Ada; tap Last name; type Lovelace; tap Done", "half": "corner; tap First name; type Ada",
        "claim": "Ada Lovelace", "expect": 'picture text "Ada Lovelace"', "truth": lambda s: len(contact(s, "Ada Lovelace")) == 1,
        "tree": "tap button Add; type field First name = Ada; type field Last name = Lovelace; tap button Done",
    },
    "show the phone number of Nora Abbott": {
        "app": "com.apple.MobileAddressBook", "plan": "tap Nora Abbott", "half": "look", "claim": "555-0111",
        "expect": 'picture text "555-0111"', "truth": lambda s: True, "reads": True,
        "tree": "tap row Nora Abbott",
    },
    "add a reminder to call Mei Chen": {
        "app": "com.apple.reminders", "plan": "tap Reminders; corner; tap Title; type Call Mei Chen; tap Add",
        "half": "tap Reminders; corner; tap Title; type Call Mei Chen",
        "claim": "Call Mei Chen", "looks": lambda p, _: not p.like(2, 600, (209, 211, 217), 10),  # no keyboard: it is saved
        "truth": lambda s: len(reminder(s, "Call Mei Chen")) == 1,
        "tree": "tap row Reminders; tap button New Reminder; type field Title = Call Mei Chen; tap button Add",
    },
    "show the reminders of the list Groceries": {
        "app": "com.apple.reminders", "plan": "tap Groceries", "half": "tap Reminders", "claim": "Milk",
        "expect": 'picture text "Milk"', "truth": lambda s: True, "reads": True,
        "tree": "tap row Groceries",
    },
    "log in to the shop as ada with the password engine-1843": {
        "app": "com.example.shop",
        "plan": "tap User name; type ada; tap Password; type engine-1843!; press Log In; wait Studio Headphones",
        "half": "tap User name; type ada; tap Password; type engine-1844!; press Log In",
        "claim": "Studio Headphones", "expect": 'picture text "Studio Headphones"',
        "truth": lambda s: s["shop"]["user"] == "ada",
        "tree": "type field User name = ada; type password Password = engine-1843; tap button Log In",
    },
    "write to Adam Young that you come at noon": {
        "app": "com.apple.MobileSMS", "plan": "tap Adam Young; tap Message; type Coming at noon; beside Coming at noon",
        "half": "tap Adam Young; tap Message; type Coming at noon", "claim": "Coming at noon",
        "expect": 'after relaunch: picture text "Coming at noon"',
        "truth": lambda s: any(m.get("text") == "Coming at noon" for c in s["messages"] for m in c["messages"]),
        "tree": "tap row Adam Young, Thanks, see you on Sunday.; type field Message = Coming at noon; tap button Send",
    },
    "start to log in to the bank as ada with the password ledger-1815": {
        "app": "com.example.bank", "plan": "tap User name; type ada; tap Password; type ledger-1815!; press Log In; wait Code",
        "half": "tap User name; type ada; tap Password; type ledger-1816!; press Log In", "claim": "Code", "expect": 'picture text "Code"', "truth": lambda s: True, "reads": True,
        "tree": "type field User name = ada; type password Password = ledger-1815; tap button Log In",
    },
    "turn off Bluetooth": {
        "app": "com.apple.Preferences", "plan": "tap Bluetooth; beside Bluetooth", "half": "tap Bluetooth", "claim": "Bluetooth",
        "truth": lambda s: s["settings"]["bluetooth"] is False,
        "looks": lambda p, _: switched_off(p, (310, 100, 370, 250)),
        "tree": "tap row Bluetooth; tap switch Bluetooth",
    },
}
