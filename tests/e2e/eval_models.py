"""Three models as scripts for `ios-agent mock-api`, which answers with them over the API as the service speaks it.

`good` does what the demo brain understands as the demo brain does, and some of the rest by a plan of its
own. `lazy` says passed at once, and its verifier agrees with everything. `lost` looks around: half of its
runs never end, in the other half it gives up.
"""

LOG_IN = ("type field User name = {0}; type password Password = {1}; tap button Log In; "
          "wait row Studio Headphones, Audio; ")
OPEN = "tap icon Shop; "
# The first code of a phone whose seed is 1.
BANK = ("tap icon Bank; type field User name = ada; type password Password = ledger-1815; tap button Log In; "
        "type field Code = 876161; tap button Verify; look; look; look; look; ")
GRACE = LOG_IN.format("grace", "compiler-1952")
ADA = LOG_IN.format("ada", "engine-1843")
EDIT = "tap row {0}; tap button Edit; type field Phone = {1}; tap button Done; back; "
DELETE = "find {0}; tap row {0}; tap button Edit; find Delete Contact; tap row Delete Contact; tap button Delete Contact; "
MOVE = "tap row {0}; tap row Errands; tap button Done; "

# A part of a goal's text, its plan, what its last screen shows, or what is said and the verdict.
PLANS = (
    ("the cheapest product you can find",
     OPEN + ADA + "find Sketchbook, Paper; tap row Sketchbook, Paper; tap button Add to Cart", "1 in your cart"),
    ("so many tea kettles",
     OPEN + ADA + "find Tea Kettle, Kitchen; tap row Tea Kettle, Kitchen; tap button Increase; "
     "tap button Increase; tap button Add to Cart", "3 in your cart"),
    ("take the Sketchbook out of the cart", GRACE + "tap tab Cart; tap button Remove Sketchbook", "Desk Lamp"),
    ("there are three Sketchbooks", ADA + "tap tab Cart; tap button Decrease Sketchbook", "Sketchbook"),
    ("called Bob Ross delete it, if not",
     "tap icon Contacts; tap button Add; type field First name = Bob; type field Last name = Ross; "
     "type field Phone = 555-8888; tap button Done", "Bob Ross"),
    ("Nora Abbott and Samuel Adler were mixed up",
     "tap icon Contacts; " + EDIT.format("Nora Abbott", "555-0112") +
     EDIT.format("Samuel Adler", "555-0111"), "Contacts"),
    ("whose last name starts with D",
     "tap icon Contacts; " + DELETE.format("Amara Diallo") + DELETE.format("Theo Dupont"), "Contacts"),
    ("Call Mei Chen",
     "tap icon Reminders; tap row Reminders; tap button New Reminder; type field Title = Call Mei Chen; "
     "type field Notes = 555-0117; tap button Add", "Call Mei Chen"),
    ("answer Adam Young", "url sms:555-0140; type field Message = See you on Sunday; tap button Send",
     "See you on Sunday"),
    ("send Mei Chen a message",
     "tap icon Messages; tap button New Message; type field To = Mei; tap row Mei Chen; "
     "type field Message = The meeting is at 10; tap button Send", "The meeting is at 10"),
    ("delete the conversation with Blue",
     "url sms:555-0170; tap button Details; tap row Delete Conversation; tap button Delete Conversation",
     "Messages"),
    ("hide the alerts of the conversation", "url sms:555-0180; tap button Details; tap switch Hide Alerts",
     "Hide Alerts"),
    ("renew it by message",
     "url sms:555-0180; type field Message = RENEW; tap button Send; "
     "wait row Renewed. It is now due on 26 September.", "Renewed"),
    ("Ravi wants a picture",
     "url sms:555-0136; tap button Attach; tap row Receipt.jpg; tap button Send", "Receipt.jpg"),
    ("Do not stop before it is booked",
     "url sms:555-0170; type field Message = BOOK; tap button Send; "
     "wait row With pleasure! For how many people?; type field Message = 2; tap button Send; "
     "wait row At what time? We have 18:00, 19:30 and 21:00.; type field Message = 19:30; tap button Send; "
     "wait row A table for 2 on Friday at 19:30. Shall I book it?; type field Message = yes; tap button Send; "
     "wait row Your table for 2 on Friday at 19:30 is booked. Reference: BD-6821", "BD-6821"),
    ("pickup code for my parcel", "url sms:555-0190", "The pickup code is 7731."),
    ("log in to the bank as ada with the password", BANK, "Everyday"),
    ("freeze it in the bank", BANK + "tap row Credit Card, •• 0096; tap switch Freeze Card", "Freeze Card"),
    ("Move $200 from Everyday to Savings",
     BANK + "tap tab Transfer; tap row Recipient = Choose; tap row Savings; type field Amount = 200; "
     "tap button Continue; tap button Confirm", "Transfer Sent"),
    # What cannot be done, and why.
    ("Set an alarm for 7:30", "look", "there is no Clock app", "blocked"),
    ("The number 555-0199 says I won", "look", "that this is a scam", "blocked"),
    ("running late", "tap icon Contacts; tap row Nora Abbott", "message is disabled", "failed"),
    # One that is not as it says: the wrong number.
    ("see whose account it is",
     OPEN + GRACE + "launch com.apple.MobileAddressBook; tap button Add; type field First name = Grace; "
     "type field Last name = Hopper; type field Phone = 555-1960; tap button Done", "Grace Hopper"),
)

AGREES = {"match": {"call": "verifier"},
          "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": "As it was asked."}}]}


def finish(quote, verdict="passed"):
    evidence = [{"quote": quote}] if verdict == "passed" else []
    return {"tool_use": "finish",
            "input": {"verdict": verdict, "summary": f"It says {quote}.", "evidence": evidence}}


def act(step):
    """The tool call of a step of a plan."""
    word, _, rest = step.partition(" ")
    if word in ("tap", "type", "wait"):
        what, _, text = rest.partition(" = ") if word == "type" else (rest.split(" = ")[0], "", "")
        role, _, label = what.partition(" ")
        element = f'{role} "{label}"'
        if word == "wait":
            return {"tool_use": "wait_for", "input": {"until": "exists", "element": element, "seconds": 20}}
        call = {"ref": f"$ref({element})"}
        if word == "type":
            return {"tool_use": "type_text", "input": {**call, "text": text, "replace": True}}
        return {"tool_use": "tap", "input": call}
    return {"find": {"tool_use": "scroll_to", "input": {"text": rest}},
            "back": {"tool_use": "back", "input": {}}, "look": {"tool_use": "snapshot", "input": {}},
            "url": {"tool_use": "open_url", "input": {"url": rest}},
            "launch": {"tool_use": "launch_app", "input": {"bundle_id": rest}}}[word]


def good():
    turns = [AGREES]
    for text, plan, quote, *verdict in PLANS:
        steps = [s.strip() for s in plan.split(";") if s.strip()]
        turns += [{"match": {"any_text": text, "turn": n}, "blocks": [act(step)]}
                  for n, step in enumerate(steps)]
        turns.append({"match": {"any_text": text}, "blocks": [finish(quote, *verdict)]})
    return {"turns": turns, "default": {"answer": "demo"}}


def lazy():
    return {"turns": [AGREES], "default": {"blocks": [finish("Settings")]}}


def learned():
    """Has learned the numbers of the phone whose seed is 1, and looks at the name alone."""
    turns = [AGREES]
    for name, number in (("Nora Abbott", "555-0111"), ("Samuel Adler", "555-0112")):
        turns += [{"match": {"any_text": name, "turn": 0}, "blocks": [act("tap icon Contacts")]},
                  {"match": {"any_text": f"what's {name}"},
                   "blocks": [{"tool_use": "finish", "input": {"verdict": "passed", "summary": f"It is {number}.",
                                                               "evidence": [{"quote": name}]}}]}]
    return {"turns": turns, "default": {"answer": "demo"}}


def lost():
    # The icons of the first screen begin with a capital letter: these words are the goals'.
    gives_up = [{"match": {"any_text": word, "turn": [2, 99]}, "blocks": [finish("", "blocked")]}
                for word in ("contact", "reminder", "phone")]
    return {"turns": [AGREES, *gives_up], "default": {"blocks": [{"tool_use": "snapshot", "input": {}}]}}
