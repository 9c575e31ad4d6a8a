// node bench/ids.mjs WORKDIR: the table of bench/ids.sh, from what bench_ids wrote into WORKDIR.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const work = process.argv[2];
const { countTokens } = createRequire(path.join(work, 'x.js'))('@anthropic-ai/tokenizer');
const rows = fs.readFileSync(path.join(work, 'refs.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
for (const row of rows) {
  for (const form of ['txt', 'json']) row[form] = countTokens(fs.readFileSync(path.join(work, `${row.ids}.${form}`), 'utf8'));
}
console.log('| identifiers | screens | elements | tokens as text | tokens as JSON | stayed on the screen | kept their ref | refs that went to another |');
console.log('|---|---|---|---|---|---|---|---|');
for (const r of rows) {
  console.log(`| ${r.ids} | ${r.screens} | ${r.shown} | ${r.txt} | ${r.json} | ${r.common} | ${r.kept} | ${r.swapped} |`);
}
const [, none, sdk] = rows;
if (sdk.txt > none.txt || sdk.json > none.json || sdk.swapped > 0 || sdk.kept < none.kept) {
  console.error('ids: the identifiers of the SDK cost tokens or harm refs');
  process.exit(1);
}
