// The client against @modelcontextprotocol/server-filesystem: every tool, and paths outside of the folder that it was given.
//
// usage: filesystem.mjs TALK
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Talk, check, report } from "./talk.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "ia-mcp-")));
const root = join(base, "root");
const at = (name) => join(root, name);
mkdirSync(root);
writeFileSync(join(base, "secret.txt"), "outside");
symlinkSync(join(base, "secret.txt"), at("link.txt"));
writeFileSync(at("pixel.png"), Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"));

const talk = new Talk(process.argv[2], 30,
  [process.execPath, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", root]);
const seen = new Set();
async function call(tool, args) {
  seen.add(tool);
  const answer = await talk.call(tool, args);
  return { error: Boolean(answer.code || answer.result?.isError), text: answer.text ?? answer.message, answer };
}
async function expect(tool, args, pattern) {
  const { error, text, answer } = await call(tool, args);
  check(!error && pattern.test(text), tool, answer);
}

const tools = (await talk.tools()).map((t) => t.name).sort();
check(tools.length === 14, "14 tools", tools);

await expect("write_file", { path: at("a.txt"), content: "Grüße\nline two\n" }, /wrote/i);
check(readFileSync(at("a.txt"), "utf8") === "Grüße\nline two\n", "the file has what was written");
await expect("read_text_file", { path: at("a.txt") }, /^Grüße\nline two/);
await expect("read_file", { path: at("a.txt") }, /line two/);
await expect("read_text_file", { path: at("a.txt"), head: 1 }, /^Grüße\n$/);
await expect("read_multiple_files", { paths: [at("a.txt"), at("missing")] }, /Grüße[\s\S]*missing: Error/);
await expect("read_media_file", { path: at("pixel.png") }, /\[image image\/png, \d+ bytes, not shown\]/);
await expect("edit_file", { path: at("a.txt"), edits: [{ oldText: "two", newText: "2" }] }, /\+line 2/);
check(readFileSync(at("a.txt"), "utf8") === "Grüße\nline 2\n", "the file has the edit");
await expect("create_directory", { path: at("deep/er") }, /created/i);
await expect("move_file", { source: at("a.txt"), destination: at("deep/b.txt") }, /moved/i);
check(existsSync(at("deep/b.txt")) && !existsSync(at("a.txt")), "the file was moved");
await expect("list_directory", { path: root }, /\[DIR\] deep/);
await expect("list_directory_with_sizes", { path: at("deep") }, /\[FILE\] b\.txt/);
await expect("directory_tree", { path: root }, /"name": "er"/);
await expect("search_files", { path: root, pattern: "**/b*" }, /deep\/b\.txt/);
await expect("get_file_info", { path: at("deep/b.txt") }, /isFile: true/);
await expect("list_allowed_directories", {}, new RegExp(root));
check(JSON.stringify([...seen].sort()) === JSON.stringify(tools), "every tool was called", tools.filter((t) => !seen.has(t)));

// A large file arrives whole, and is cut for a model.
writeFileSync(at("large.txt"), "x".repeat(1 << 20));
const large = await talk.call("read_text_file", { path: at("large.txt") });
check(large.result?.content?.[0]?.text?.length === 1 << 20 && /\[\d+ more bytes, not shown\]\n$/.test(large.text), "a large file");

for (const path of [join(base, "secret.txt"), `${root}/../secret.txt`, `${root}/deep/../../secret.txt`, at("link.txt"), `${root}\u0000/../secret.txt`]) {
  const read = await call("read_text_file", { path });
  check(read.error && !/outside/.test(read.text.replace(/outside allowed/g, "")), `no way out: ${JSON.stringify(path)}`, read.answer);
  const write = await call("write_file", { path: path.replace("secret.txt", "new.txt"), content: "x" });
  check(write.error, `nothing is written: ${JSON.stringify(path)}`, write.answer);
}
check(readFileSync(join(base, "secret.txt"), "utf8") === "outside" && !existsSync(join(base, "new.txt")), "what is outside is as it was");
await talk.end();
rmSync(base, { recursive: true });
report();
