// What `agent-device snapshot -i` prints for a tree, by its own published modules and without a
// daemon or a device: presentation (ios-snapshot-runtime), state (snapshot-state) and the command
// line's formatter (registry). Minified exports have the names of 0.21.5, so the version is pinned.
//
// What is not its own: on a device its XCTest runner reads the elements in Swift. Here they come
// from the tree, with every fact known, so that no sentence about missing evidence is counted
// against it, and without the line that names the bundle id, which AXe's trees do not tell.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// An element of `axe describe-ui` and what is inside it, in pre-order, as runner nodes.
function axeNodes(element, nodes, depth, parentIndex) {
  const index = nodes.length;
  const f = element.frame ?? {};
  nodes.push({
    index, depth, ...(parentIndex === undefined ? {} : { parentIndex }),
    type: element.type, label: element.AXLabel ?? undefined, value: element.AXValue ?? undefined,
    identifier: element.AXUniqueId ?? undefined, enabled: element.enabled !== false,
    rect: { x: f.x ?? 0, y: f.y ?? 0, width: f.width ?? 0, height: f.height ?? 0 },
  });
  for (const child of element.children ?? []) axeNodes(child, nodes, depth + 1, index);
  return nodes;
}

// XCTest tells of enabled elements whose middle is on screen that they can be hit.
function withHits(nodes, screen) {
  return nodes.map((n) => {
    const x = (n.rect?.x ?? 0) + (n.rect?.width ?? 0) / 2;
    const y = (n.rect?.y ?? 0) + (n.rect?.height ?? 0) / 2;
    const area = (n.rect?.width ?? 0) > 0 && (n.rect?.height ?? 0) > 0;
    const on = x >= screen.x && y >= screen.y && x < screen.x + screen.width && y < screen.y + screen.height;
    return { ...n, hittable: area && on && n.enabled !== false };
  });
}

export async function agentDevice(work) {
  const dist = path.join(work, 'node_modules/agent-device/dist/src');
  const load = (file) => import(pathToFileURL(path.join(dist, file)));
  const { presentIosSnapshotAcquisition } = await load('ios-snapshot-runtime.js');
  const { acquireWebDriverIosSnapshot } = await load('webdriver-ios-snapshot.js');
  const { t: buildSnapshotState } = await load('snapshot-state.js');
  const { t: outputFormatters } = await load('registry.js');
  const format = outputFormatters().snapshot;

  return async function snapshot(file) {
    const text = fs.readFileSync(file, 'utf8');
    let nodes;
    if (file.endsWith('.xml')) {
      nodes = acquireWebDriverIosSnapshot(text).acquisition.nodes;
    } else {
      const roots = JSON.parse(text);
      nodes = [];
      for (const root of Array.isArray(roots) ? roots : [roots]) axeNodes(root, nodes, 0, undefined);
    }
    const rect = nodes.find((n) => n.rect?.width > 0 && n.rect?.height > 0).rect;
    const acquisition = {
      producer: 'apple-runner', intent: 'full', nodes: withHits(nodes, rect),
      viewport: { kind: 'reported', rect }, lineage: {}, residue: [],
    };
    const present = () => buildSnapshotState(presentIosSnapshotAcquisition(
      { stage: 'acquired', acquisition }, { interactiveOnly: true }), { snapshotInteractiveOnly: true });
    const show = (state) => format({ input: { interactiveOnly: true },
      result: { ...state, backend: 'xctest', appName: nodes[0].label } });
    const { text: shown } = await show(present());
    const took = [];
    for (let i = 0; i < 31; i++) {
      const start = process.hrtime.bigint();
      await show(present());
      took.push(Number(process.hrtime.bigint() - start) / 1e3);
    }
    return { text: shown.trimEnd(), us: took.sort((a, b) => a - b)[15] };
  };
}
