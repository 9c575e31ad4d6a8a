#!/usr/bin/env python3
"""Reads one request from stdin, writes one answer to stdout; docs/skills.md of ios-agent has the protocol."""
import json
import sys

request = json.load(sys.stdin)
words = request["input"]["text"].split()
json.dump({"text": f"{len(words)} words"}, sys.stdout)
