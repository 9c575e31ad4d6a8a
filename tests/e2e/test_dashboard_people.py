"""The dashboard's pages about people's side of it: the conversation with an agent, agents, skills."""
import json
import os
import unittest

from dashboard_case import DashboardCase

GOAL = "open Settings, turn on Airplane Mode"


HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u202etxet \u0007 javascript:alert(1)"


class People(DashboardCase):
    def say(self, text):
        self.browser.click("ia-chat textarea")
        self.browser.write(text)
        self.browser.enter()

    def check_harmless(self):
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('main script, main img[src=x]').length"), 0)
        self.assertNotIn("owned", self.browser.evaluate("document.title"))

    def open_chat(self, place="#/chat", *more):
        self.open_page(place, *more)
        self.browser.wait_until("document.querySelector('ia-chat .chat-write textarea')?.placeholder")


class Live(People):
    """A model that takes its time, so that a run can be watched and told more."""

    TURNS = (
        {"match": {"call": "verifier"}, "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": "seen"}}]},
        {"match": {"user_text": "The blue one."},
         "blocks": [{"text": "I take the blue one. " + HOSTILE}, {"tool_use": "finish", "input": {
             "verdict": "passed", "summary": "It is the blue one.", "evidence": [{"quote": "Contacts"}]}}]},
        {"match": {"turn": 0}, "latency_ms": 300,
         "blocks": [{"text": "I look for it. " * 20 + "There."}, {"tool_use": "wait_for", "input": {
             "until": "exists", "element": "\"Nothing\"", "seconds": 1}}]},
        {"match": {"user_text": "from a terminal"}, "latency_ms": 600000, "blocks": [{"text": "I think about it."}]},
        {"match": {"user_text": "find another one"}, "latency_ms": 5000, "blocks": [{"text": "Which one?"}, {"tool_use": "snapshot", "input": {}}]},
        {"match": {"call": "actor"}, "latency_ms": 700, "blocks": [{"text": "Which one?"}, {"tool_use": "snapshot", "input": {}}]},
    )

    def prepare(self):
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": self.TURNS}, f)
        self.model = self.double("--script", path, "--pace-ms", "40")
        folder = os.path.join(self.folder, ".config", "ios-agent")
        os.makedirs(folder)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as f:
            f.write(f'[api]\nbase_url = "{self.model.url}"\n')
        done = self.run_agent("key", "set", stdin="sk-ant-test-key-0123456789\n")
        self.assertEqual(done.code, 0, done)

    def test_a_live_run_is_watched_and_told_more(self):
        b = self.browser
        self.open_chat()
        self.assertNotIn("demo brain follows", b.text())
        self.say("find the right one")
        b.wait_for_text("I look for it.", ".chat-turns")
        self.assertNotIn("There.", b.evaluate("document.querySelector('.chat-turns').innerText"))
        self.assertEqual(b.evaluate("document.querySelector('[aria-live=polite].sr').textContent"), "")  # no piece is read out
        self.look("chat-streaming", widths=(390,))
        b.wait_for_text("There.", ".chat-turns")
        b.wait_for_text("Say", ".chat-write")
        self.say("The blue one.")
        b.wait_for_text("The blue one.", ".chat-turns .chat-me")
        b.wait_for_text("I take the blue one.", ".chat-turns")
        b.wait_for_text("It is the blue one.", ".chat-card")
        self.assertNotIn("not read yet", b.text())
        self.assertEqual(b.evaluate("document.querySelectorAll('.chat-run').length"), 1)
        b.wait_until("document.querySelector('[aria-live=polite].sr').textContent.includes('It is the blue one.')")
        self.check_harmless()
        self.look("chat-told")

    def test_an_agents_conversation_goes_on_within_its_budget_and_is_stopped(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/anna", {})
        b.go("#/chat/anna")
        b.wait_until("document.querySelector('ia-chat textarea')?.placeholder")
        self.say("The blue one.")  # the words that the model waits for
        b.wait_for_text("It is the blue one.", ".chat-card")
        b.click("summary", "Device and budget")
        b.click(".chat-options input[type=number]")
        b.write("17")
        self.look("chat-options", widths=(390, 1440))
        self.say("find another one")
        b.wait_until("document.querySelectorAll('.chat-run').length === 2")
        b.wait_for_text("Which one?", ".chat-run:last-child .chat-turns")
        first, second = reversed(self.api("GET", "/runs?agent=anna")["runs"])
        self.assertEqual(second["budget"]["max_steps"], 17)
        looked = [e for e in self.api("GET", f"/runs/{second['id']}/events")["events"] if e["event"] == "run.looked"]
        self.assertEqual(looked[0]["continues"], first["id"])
        b.wait_for_text("working", ".chat-all")
        done = self.run_agent("say", second["id"], "from a terminal", "--from", "ci")
        self.assertEqual(done.code, 0, done)
        b.wait_for_text("from a terminal", ".chat-run:last-child .chat-me:not(:first-child)")
        b.wait_for_text("from ci", ".chat-run:last-child")
        # What is said moves the button; Enter finds it where a click may come too late.
        b.evaluate("[...document.querySelectorAll('.chat-run:last-child .chat-now button')].find(e => e.innerText === 'Stop').focus(); 1")
        b.enter()
        b.wait_for_text("cancelled", ".chat-run:last-child .chat-card")
        b.wait_for_text("Send", ".chat-write")
        self.assertEqual(self.api("GET", f"/runs/{second['id']}")["run"]["state"], "cancelled")
        b.call("Page.reload")
        b.wait_until("document.querySelectorAll('.chat-run').length === 2")
        b.wait_for_text("It is the blue one.", ".chat-run:first-child .chat-card")
        b.wait_for_text("cancelled", ".chat-run:last-child .chat-card")
        b.evaluate("document.querySelector('.chat-run:first-child summary').focus(); 1")
        b.enter()
        b.wait_for_text("I take the blue one.", ".chat-run:first-child .chat-turns")


class Chat(People):
    def test_a_goal_is_said_and_comes_to_its_verdict(self):
        b = self.browser
        self.open_chat()
        b.wait_for_text("No messages yet")
        self.look("chat-empty")
        self.say(GOAL)
        b.wait_for_text("passed", ".chat-card")
        b.wait_for_text("switch:on Airplane Mode", ".chat-proof")
        b.wait_for_text("Step 2 of 2: turn on Airplane Mode.", ".chat-turns")
        b.click(".chat-step summary", "Airplane Mode")
        b.wait_until("document.querySelector('.chat-step[open] img')?.naturalWidth > 100")
        self.look("chat-passed")


    def test_drafts_last_texts_and_lines_are_kept(self):
        b = self.browser
        self.open_chat()
        b.click("ia-chat textarea")
        b.write("open")
        b.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r", modifiers=8)
        b.write("Contacts")
        self.assertEqual(b.evaluate("document.querySelector('ia-chat textarea').value"), "open\nContacts")
        b.call("Page.reload")
        b.wait_until("document.querySelector('.dot.is-live') && document.querySelector('ia-chat textarea')?.value")
        self.assertEqual(b.evaluate("document.querySelector('ia-chat textarea').value"), "open\nContacts")
        b.click("ia-chat textarea")
        b.enter()
        b.wait_until("document.querySelector('.chat-card .badge')")
        self.assertEqual(b.evaluate("document.querySelector('ia-chat textarea').value"), "")
        b.click("ia-chat textarea")
        b.key("ArrowUp", 38)
        self.assertEqual(b.evaluate("document.querySelector('ia-chat textarea').value"), "open\nContacts")

    def test_a_long_conversation_begins_at_its_end_and_goes_back_on_demand(self):
        b = self.browser
        self.open_page("#/agents")
        self.api("PUT", "/agents/anna", {})
        for i in range(20):
            self.queue_run(f"what is goal {i:02d}?", agent="anna")
        b.wait_until("fetch('/v1/runs?state=unfinished', {headers: {Authorization: 'Bearer ' + "
                     "sessionStorage.getItem('ios-agent-token')}}).then(r => r.json()).then(r => r.result.total === 0)")
        b.go("#/chat/anna")
        b.wait_until("document.querySelectorAll('.chat-run').length === 15")
        b.wait_until("document.documentElement.scrollHeight - scrollY - innerHeight < 90")
        self.assertNotIn("goal 00", b.text())
        b.evaluate("window.scrollTo(0, 0)")
        b.wait_until("document.querySelectorAll('.chat-run').length === 20")
        order = b.evaluate("[...document.querySelectorAll('.chat-run > .chat-me p')].map(p => p.textContent)")
        self.assertEqual(order, [f"what is goal {i:02d}?" for i in range(20)])
        self.assertGreater(b.evaluate("scrollY"), 300)  # what was read stays where it is
        b.click(".chat-down")
        b.wait_until("document.documentElement.scrollHeight - scrollY - innerHeight < 90")
        b.click(".chat-all a", "No agent")
        b.wait_for_text("No messages yet")

    def test_a_page_that_may_only_look_says_nothing_to_anybody(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/anna", {"memory": "tea"})
        self.queue_run(GOAL, agent="anna")
        b.evaluate("sessionStorage.clear()")
        self.open_page("#/chat/anna", "--view-only")
        b.wait_for_text("passed", ".chat-card")
        self.assertTrue(b.evaluate("document.querySelector('ia-chat textarea').disabled"))
        self.look("chat-view-only", widths=(390, 1440))
        b.go("#/agent/anna")
        b.wait_for_text("tea")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('ia-agent button:enabled')].map(x => x.textContent)"
                                    ".filter(t => !/table|Table|numbers/.test(t))"), [])
        b.go("#/agent/anna/edit")
        b.wait_until("document.querySelector('.agent-form')")
        self.assertEqual(b.evaluate("document.querySelectorAll('.agent-form :is(input,textarea):enabled:not([readonly])').length"), 0)
        b.go("#/skills")
        b.wait_until("document.querySelector('.skills')")
        self.assertEqual(b.evaluate("document.querySelectorAll('.skills input:enabled').length"), 0)

    def test_without_a_daemon_what_was_written_is_kept(self):
        b = self.browser
        self.open_chat()
        self.daemon.kill()
        self.daemon.communicate()
        b.wait_for_text("The daemon does not answer")
        self.say(GOAL)
        b.wait_for_text("The daemon does not answer", ".toast")
        self.assertEqual(b.evaluate("document.querySelector('ia-chat textarea').value"), GOAL)
        self.look("chat-no-daemon", widths=(390,), complaints=("ERR_", "Failed to fetch"))

    def test_hostile_goals_run_nothing(self):
        b = self.browser
        self.open_chat()
        self.api("POST", "/runs", {"goal": HOSTILE, "demo": True})
        b.wait_until("document.querySelector('.chat-card .badge')")
        self.assertIn("<img", b.evaluate("document.querySelector('.chat-me p').textContent"))
        self.check_harmless()
        self.look("chat-hostile")


class Agents(People):
    def field(self, label):
        self.browser.wait_until(f"document.querySelector('.agent-form') && [...document.querySelectorAll('label')].find(l => l.innerText === {json.dumps(label)})?.control")
        return self.browser.evaluate(f"[...document.querySelectorAll('label')].find(l => l.innerText === {json.dumps(label)}).control.value")

    def tab_to(self, test):
        """Presses Tab until the focused element passes a test."""
        for _ in range(80):
            if self.browser.evaluate(f"(e => {test})(document.activeElement)"):
                return
            self.browser.key("Tab", 9)
        self.fail(f"no Tab comes to {test}")

    def test_an_agent_is_made_changed_and_deleted_by_keys_alone(self):
        b = self.browser
        self.open_page("#/agents")
        b.wait_for_text("There are no agents yet")
        self.look("agents-empty")
        self.tab_to("e.textContent === 'New agent'")
        b.enter()
        b.wait_until("document.activeElement.id === 'agent-name'")
        self.look("agent-new")
        b.write("an.na")
        self.tab_to("e.id === 'agent-model'")
        b.write("claude-haiku-5-5")
        b.wait_for_text("out per million tokens", "#agent-model-help")
        self.tab_to("e.id === 'agent-prompt'")
        b.write("Be quick.")
        self.tab_to("e.value === 'open_url'")
        b.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
        b.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
        self.tab_to("e.textContent === 'Create'")
        b.enter()
        b.wait_for_text("letters, digits", "#agent-name-error")  # the server's own words, at the field
        self.assertEqual(b.evaluate("document.activeElement.id"), "agent-name")
        self.assertEqual(b.evaluate("document.activeElement.getAttribute('aria-invalid')"), "true")
        self.look("agent-refused", widths=(390, 1440), complaints=("400",))
        b.evaluate("document.activeElement.select()")
        b.write("anna")
        b.enter()
        b.wait_until("location.hash === '#/agent/anna' && document.querySelector('.agent-runs')")
        b.wait_for_text("It has not run yet")
        agent = self.api("GET", "/agents/anna")["agent"]
        self.assertEqual((agent["model"], agent["prompt"]), ("claude-haiku-5-5", "Be quick."))
        self.assertEqual(len(agent["tools"]), 16)
        self.assertNotIn("open_url", agent["tools"])
        self.look("agent-fresh", complaints=("400",))

        self.tab_to("e.textContent === 'Edit'")
        b.enter()
        self.assertEqual(self.field("Name"), "anna")
        self.tab_to("e.textContent === 'All'")
        b.enter()
        self.tab_to("e.id === 'agent-memory'")
        b.write("likes tea")
        self.tab_to("e.textContent === 'Save'")
        b.enter()
        b.wait_for_text("likes tea", ".agent-memory")
        agent = self.api("GET", "/agents/anna")["agent"]
        self.assertEqual((agent["tools"], agent["memory"], agent["prompt"]), (None, "likes tea", "Be quick."))

        b.go("#/agents/new")
        b.wait_until("document.activeElement.id === 'agent-name'")
        b.write("anna")
        b.enter()
        b.wait_for_text("There is already an agent anna.", "#agent-name-error")
        b.go("#/agent/anna")
        b.wait_for_text("likes tea")
        self.tab_to("e.textContent === 'Delete'")
        b.enter()
        b.wait_until("document.querySelector('dialog[open]')")
        self.look("agent-delete", widths=(390,), complaints=("400",))
        self.tab_to("e.textContent === 'Delete' && e.type === 'submit'")
        b.enter()
        b.wait_for_text("There are no agents yet")

    def test_a_fresh_agent_is_tried_and_its_figures_follow(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/anna", {"memory": "# Likes\n- **blue** and `code`\n\nplain"})
        b.go("#/agent/anna")
        b.wait_for_text("It has not run yet")
        b.click("button", "Try it with the demo brain")
        b.wait_for_text("passed", ".chat-card")
        b.go("#/agent/anna")
        b.wait_until("document.querySelectorAll('.agent-runs .badge.is-good').length === 1")
        b.wait_for_text("Pass rate")
        b.wait_until("document.querySelector('.chart svg')")
        self.assertEqual(b.evaluate("document.querySelector('.agent-memory strong').textContent"), "Likes")
        self.assertEqual(b.evaluate("document.querySelector('.agent-memory li code').textContent"), "code")
        b.click("button", "Forget the conversation")
        b.click("dialog button", "Forget")
        b.wait_for_text("None: the next goal starts afresh")
        self.assertIsNone(self.api("GET", "/agents/anna")["agent"]["session"])
        self.look("agent-detail")
        b.go("#/agents")
        b.wait_for_text("100 %", ".agents")
        self.look("agents")

    def test_an_agent_that_is_not_there_is_said(self):
        self.open_page("#/agent/nobody")
        self.browser.wait_for_text("Not found")
        self.look("agent-none", widths=(390,), complaints=("404",))
        self.browser.go("#/chat/nobody")
        self.browser.wait_for_text("Not found")

    def test_a_text_that_is_too_long_is_refused_at_its_field(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/tool", {"memory": "tea"})
        for field in ("prompt", "memory"):
            b.go("#/agents")
            b.wait_until("document.querySelector('.agents')")
            b.go("#/agent/tool/edit")
            b.wait_until("document.querySelector('.agent-form')")
            b.evaluate(f"document.getElementById('agent-{field}').value = 'x'.repeat(70000)")
            b.click("button", "Save")
            b.wait_for_text("65536", f"#agent-{field}-error")
            self.assertEqual(b.evaluate("document.activeElement.id"), f"agent-{field}")
        self.assertEqual(self.api("GET", "/agents/tool")["agent"]["memory"], "tea")

    def test_hostile_memory_runs_nothing(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/anna", {"memory": f"# {HOSTILE}\n- **{HOSTILE}**\n`{HOSTILE}`", "prompt": HOSTILE, "model": HOSTILE})
        for place in ("#/agent/anna", "#/agent/anna/edit", "#/agents"):
            b.go(place)
            b.wait_until("document.querySelector('main > * .card')")
            b.wait_until(f"[...document.querySelectorAll('main *')].some(e => (e.value ?? e.textContent).includes('<img'))")
            self.check_harmless()
            self.look(f"hostile-{place.strip('#/').replace('/', '-')}", widths=(390,))


class Configured(People):
    def prepare(self):
        folder = os.path.join(self.folder, ".config", "ios-agent")
        os.makedirs(folder)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as f:
            f.write('[agents.zoe]\nmodel = "claude-x"\ntools = ["tap"]\n')

    def test_what_the_configuration_says_is_changed_there_but_for_the_memory(self):
        b = self.browser
        self.open_page("#/agent/zoe")
        b.wait_for_text("the configuration file")
        self.assertFalse(b.evaluate("[...document.querySelectorAll('ia-agent button')].find(x => x.textContent === 'Delete').checkVisibility()"))
        b.click("a", "Edit")
        b.wait_until("document.querySelector('.agent-form')")
        self.look("agent-configured", widths=(390, 1440))
        self.assertEqual(b.evaluate("document.querySelectorAll('.agent-form :is(input,textarea):enabled:not([readonly])').length"), 1)
        b.click("#agent-memory")
        b.write("likes tea")
        b.click("button", "Save")
        b.wait_for_text("likes tea", ".agent-memory")
        self.assertEqual(self.api("GET", "/agents/zoe")["agent"]["memory"], "likes tea")


class Skills(People):
    def test_tools_are_switched_by_click_and_by_keys(self):
        b = self.browser
        self.open_page()
        self.api("PUT", "/agents/anna", {})
        self.api("PUT", "/agents/bob", {"tools": ["tap"]})
        b.go("#/skills")
        b.wait_until("document.querySelector('.skills')")
        self.look("skills")
        tools = lambda name: self.api("GET", f"/agents/{name}")["agent"]["tools"]
        until = lambda name, test: b.wait_until(
            f"fetch('/v1/agents/{name}', {{headers: {{Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token')}}}})"
            f".then(r => r.json()).then(r => (t => {test})(r.result.agent.tools))")
        b.click("input[aria-label='anna may use swipe']")
        until("anna", "t?.length === 16 && !t.includes('swipe')")
        b.click("input[aria-label='anna may use swipe']")
        until("anna", "t === null")
        b.key("ArrowRight", 39)
        self.assertEqual(b.evaluate("document.activeElement.getAttribute('aria-label')"), "bob may use swipe")
        b.key("ArrowUp", 38)
        self.assertEqual(b.evaluate("document.activeElement.getAttribute('aria-label')"), "bob may use clear_text")
        b.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
        b.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
        until("bob", "t.includes('clear_text')")
        self.assertEqual(set(tools("bob")), {"snapshot", "tap", "clear_text", "finish"})
        b.click("summary", "core")
        b.wait_for_text("ios-agent", ".skills-texts details[open] pre")
        self.look("skills-text", widths=(390,))


if __name__ == "__main__":
    unittest.main(verbosity=2)
