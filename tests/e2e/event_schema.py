"""Every event that an end-to-end test sees, on a pipe or in a database, is valid by docs/events.schema.json.

Without Python's jsonschema nothing is checked.
"""
import json
import os
import sqlite3

try:
    import jsonschema
except ImportError:
    jsonschema = None

PATH = os.path.join(os.environ["IOS_AGENT_SOURCE"], "docs", "events.schema.json")


def load():
    """A validator for each event by its name and whether it belongs to a run: quicker than the whole, and it says more."""
    with open(PATH, encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    validators = {}
    for choice in schema["oneOf"]:
        one = dict(schema, **choice)
        del one["oneOf"]
        properties = schema["definitions"][choice["$ref"].rsplit("/", 1)[1]]["properties"]
        validators[properties["event"]["const"], "seq" in properties] = jsonschema.Draft7Validator(one)
    return validators


VALIDATORS = load() if jsonschema else None


def check(event):
    """Returns the event."""
    if VALIDATORS:
        VALIDATORS[event["event"], "seq" in event].validate(event)
    return event


def check_database(path):
    """All rows of the events table; a file that is no database, as some tests want it, has none."""
    if not VALIDATORS or not os.path.exists(path):
        return
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            rows = db.execute("SELECT type, json FROM events").fetchall()
        finally:
            db.close()
    except sqlite3.DatabaseError:
        return
    for name, text in rows:
        assert check(json.loads(text))["event"] == name
