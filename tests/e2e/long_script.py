"""A script of 200 steps for the double: 40 contacts are added, one after the other, each in five steps.

The model that it plays knows only the newest message, by the number of the step that it reports, so it
goes on alike whether the conversation before is there, was summed up, or was resumed.
"""
CONTACTS = 40
STEPS_EACH = 5
STEPS = CONTACTS * STEPS_EACH


def name(n):
    """Of contact n; the newest stands first in the list."""
    return f"Zoe Aa{99 - n}"


GOAL = f"add {CONTACTS} contacts named Zoe, Aa98 down to Aa{98 - CONTACTS + 1}"
RUN = ["run", GOAL, "--app", "com.apple.MobileAddressBook", "--max-steps", str(STEPS + 20),
       "--expect", f'visible "{name(CONTACTS)}"']


def calls(n):
    """The calls that add contact n."""
    return [("tap", {"ref": '$ref(button "Add")'}, f"Contact {n} of {CONTACTS}: I open an empty form."),
            ("type_text", {"ref": '$ref(field "First name")', "text": "Zoe"}, "Its first name."),
            ("type_text", {"ref": '$ref(field "Last name")', "text": name(n)[4:]}, "Then the last name."),
            ("tap", {"ref": '$ref(button "Done")'}, f"I save contact {n}."),
            ("back", {}, "Back to the list, where it has to stand now.")]


THOUGHT = ("Step {n} is behind me: its result shows what I expected, and no message or alert came up. The form "
           "keeps what was typed before, so nothing has to be done again. There are {left} steps to go by my plan "
           "of five for each contact: open the form, first name, last name, Done, and back to the list. The next "
           "one is due now, with the ref from the newest screen, and I look at its result before I go on.")


def turns():
    """A request whose newest message reports step n is answered by call n + 1, thought about first."""
    every = [call for n in range(1, CONTACTS + 1) for call in calls(n)]
    made = [{"match": {"call": "verifier"}, "blocks": [
        {"tool_use": "verdict", "input": {"agrees": True, "reason": "every contact was saved"}}]}]
    for n, (tool, values, word) in enumerate(every):
        blocks = [{"thinking": THOUGHT.format(n=n, left=STEPS - n)},
                  {"text": word}, {"tool_use": tool, "input": values}]
        # A result says how the step ended; the message behind a summary only which step it was.
        made += [{"match": {"latest": f"step {n} ok"}, "blocks": blocks},
                 {"match": {"user_text": f"step {n}\n<screen"}, "blocks": blocks}]
    finish = {"tool_use": "finish", "input": {
        "verdict": "passed", "summary": f"{CONTACTS} contacts were added",
        "evidence": [{"quote": name(CONTACTS)}]}}
    return made + [{"match": {"latest": f"step {STEPS} ok"}, "blocks": [finish]},
                   {"match": {"user_text": f"step {STEPS}\n<screen"}, "blocks": [finish]}]
