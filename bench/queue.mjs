// nanoclaw's in-memory queue on the same work: no-op tasks over 50 groups.
//     node queue.mjs GROUP_QUEUE.mjs TASKS GROUPS
// GROUP_QUEUE.mjs exports the class GroupQueue of nanoclaw, bundled with a silent logger.
import process from "node:process";
import { pathToFileURL } from "node:url";

const [file, tasks, groups] = process.argv.slice(2);
const { GroupQueue } = await import(pathToFileURL(file).href);
const queue = new GroupQueue();
const total = Number(tasks);
let done = 0;
const from = process.hrtime.bigint();
await new Promise((resolve) => {
  for (let i = 0; i < total; i++) {
    queue.enqueueTask(`group-${i % Number(groups)}`, `task-${i}`, async () => {
      done += 1;
      if (done === total) resolve();
    });
  }
});
const seconds = Number(process.hrtime.bigint() - from) / 1e9;
console.log(JSON.stringify({
  goals: total, lanes: Number(groups), done, seconds,
  per_second: Math.round(total / seconds),
  peak_mb: Math.round(process.resourceUsage().maxRSS / 102.4) / 10,
}));
