import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
// @ts-expect-error The build is plain scripts.
import { bundleScripts } from "../../scripts/bundle-scripts.mjs";
import { makeRunDirectory } from "./scratch.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = `${root}dist/.tests`;

/** Scripts that import src/ and that tests run in processes or threads of their own. */
const scripts = [
  "base/kit/idle-remotes.mjs",
  "base/kit/served.mjs",
  "base/kit/terminated-remote.mjs",
  "run/kit/fake-run.mjs",
  "run/kit/fake-worker.mjs",
  "run/kit/bare-worker.mjs",
  "service/kit/check-once.mjs",
  "service/kit/faulty-process.mjs",
  "storage/kit/dying-event-writer.mjs",
  "storage/kit/open-store.mjs",
  "storage/kit/write-entities.mjs",
];

/** Bundles the scripts, and makes the directory of the tests. Runs before all tests. */
export async function setup(): Promise<() => void> {
  const entries = scripts.map((path) => [basename(path, extname(path)), `${root}test/${path}`]);
  await bundleScripts(Object.fromEntries(entries), directory);
  return makeRunDirectory();
}

/** Path of the bundled script. */
export function processScript(name: string): string {
  return `${directory}/${name}.js`;
}
