import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
// @ts-expect-error The build is plain scripts.
import { bundleScripts } from "../../scripts/bundle-scripts.mjs";
import { countsVariable, leftToCi } from "./left-to-ci.js";
import { makeRunDirectory, ofThisRun } from "./scratch.js";

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
  "storage/kit/delete-person.mjs",
  "storage/kit/dying-event-writer.mjs",
  "storage/kit/open-store.mjs",
  "storage/kit/write-entities.mjs",
];

/**
 * Bundles the scripts, and makes the directory of the tests. Runs before all tests. Returns what runs after
 * them: a green run says what it has left to CI.
 */
export async function setup(): Promise<() => void> {
  const entries = scripts.map((path) => [basename(path, extname(path)), `${root}test/${path}`]);
  await bundleScripts(Object.fromEntries(entries), directory);
  const removeDirectory = makeRunDirectory();
  const counts = join(process.env[ofThisRun] ?? "", "left-to-ci");
  process.env[countsVariable] = counts;
  return () => {
    const text = leftToCi(counts);
    if (text !== undefined) console.error(text);
    removeDirectory();
  };
}

/** Path of the bundled script. */
export function processScript(name: string): string {
  return `${directory}/${name}.js`;
}
