"""The dashboard's pages about people's side of it: the conversation with an agent, agents, skills."""
import json
import os
import unittest

from dashboard_case import DashboardCase

GOAL = "open Settings, turn on Airplane Mode"


class People(DashboardCase):
    def say(self, text):
        self.browser.click("ia-chat textarea")
        self.browser.write(text)
        self.browser.enter()

    def open_chat(self, place="#/chat", *more):
        self.open_page(place, *more)
        self.browser.wait_until("document.querySelector('ia-chat .chat-write textarea')?.placeholder")


class Chat(People):
    def test_a_goal_is_said_and_comes_to_its_verdict(self):
        b = self.browser
        self.open_chat()
        b.wait_for_text("Nothing was said yet")
        self.look("chat-empty")
        self.say(GOAL)
        b.wait_for_text("passed", ".chat-card")
        b.wait_for_text("switch:on Airplane Mode", ".chat-proof")
        b.wait_for_text("Step 2 of 2: turn on Airplane Mode.", ".chat-turns")
        b.click(".chat-step summary", "Airplane Mode")
        b.wait_until("document.querySelector('.chat-step[open] img')?.naturalWidth > 100")
        self.look("chat-passed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
