"""The service's own web search: its blocks are replayed as they came, its price counts, its failures are no
failures of the run. The double refuses a conversation in which anything that it found was edited."""
import unittest

from core_tools_case import GIVE_UP, CoreToolsCase, say, use

RESULTS = [{"url": "https://example.com/ada", "title": "Ada \u201cLovelace\u201d"},
           {"url": "https://other.net/ada", "title": "Ada elsewhere"}]
SEARCH = {"web_search": "who was Ada Lovelace", "results": RESULTS}
CITED = {"text": "She wrote the first program.", "citations": [
    {"url": "https://example.com/ada", "title": "Ada", "cited_text": "wrote the first program"}]}


class WebSearch(CoreToolsCase):
    def setUp(self):
        super().setUp()
        self.allow("")

    def allow(self, more):
        self.configure(f'[web_search]\n{more}\n[agents.reader]\ntools = ["default", "web_search"]\n')

    def search(self, *turns, args=(), code=1):
        double = self.script(*turns)
        done = self.run_agent("run", "look it up", "--agent", "reader", "--json", *args, env=self.claude(double))
        stats = double.stop()
        self.assertEqual(stats["rejected"], {}, done)
        self.assertEqual(stats["unmatched"], 0, done)
        self.assertEqual(done.code, code, done)
        return done.envelope()

    def transcript(self):
        shown = self.run_agent("show", self.runs()[0]["id"], "--transcript")
        self.assertEqual(shown.code, 0, shown)
        return shown.out

    def cost(self):
        with self.database() as db:
            return db.execute("SELECT cost_usd FROM runs").fetchone()[0]

    def test_what_was_found_is_replayed_and_shown_and_paid_for(self):
        self.search(say(SEARCH, CITED, use("snapshot")), say(use("snapshot")), GIVE_UP)
        text = self.transcript()
        self.assertIn('> web_search {"query":"who was Ada Lovelace"}', text)
        self.assertIn("< Ada \u201cLovelace\u201d", text)
        self.assertIn("https://other.net/ada", text)
        self.assertIn("She wrote the first program.", text)
        with self.database() as db:
            content, = db.execute("SELECT content FROM messages WHERE role = 'assistant' ORDER BY seq").fetchone()
        self.assertIn('"encrypted_content":"Enc', content)
        self.assertIn('"citations":[{"type":"web_search_result_location"', content)
        self.assertGreater(self.cost(), 0.01)

    def test_a_paused_search_goes_on(self):
        self.search(say(SEARCH, stop_reason="pause_turn"), say(CITED, use("snapshot")), GIVE_UP)

    def test_a_search_that_fails_or_is_one_too_many_is_data(self):
        self.allow("max_uses = 2")
        self.search(say({"web_search": "a", "error": "unavailable"}, SEARCH, SEARCH, use("snapshot")), GIVE_UP)
        text = self.transcript()
        self.assertIn("! unavailable", text)
        self.assertIn("! max_uses_exceeded", text)
        self.assertLess(self.cost(), 0.1)

    def test_domains_reach_the_service(self):
        self.allow('allowed_domains = "example.com, example.org"')
        self.search(say(SEARCH, use("snapshot")), GIVE_UP)
        self.assertNotIn("other.net", self.transcript())

    def test_both_lists_of_domains_are_refused_before_anything_is_sent(self):
        self.allow('allowed_domains = "a.com"\nblocked_domains = "b.com"')
        double = self.script(GIVE_UP)
        done = self.run_agent("run", "x", "--agent", "reader", env=self.claude(double))
        self.assertEqual(done.code, 2, done)
        self.assertIn("both allowed and blocked domains", done.out + done.err)

    def test_searches_that_a_budget_could_not_pay_are_not_begun(self):
        envelope = self.search(GIVE_UP, args=("--max-usd", "0.06"), code=4)
        self.assertEqual(envelope["error"]["code"], "BUDGET")

    def test_what_a_search_found_proves_nothing(self):
        finish = use("finish", verdict="passed", summary="Done.", evidence=[{"quote": "Ada elsewhere"}])
        self.search({"match": {"call": "verifier"}, "blocks": [use("verdict", agrees=True, reason="yes")]},
                    say(SEARCH, use("snapshot")), {**say(finish), "repeat": 3})


if __name__ == "__main__":
    unittest.main()
