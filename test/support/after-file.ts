import fc from "fast-check";
import { afterAll } from "vitest";
import { endProcesses } from "./command-line.js";
import { propertyRuns } from "./property-runs.js";
import { removeScratch } from "./scratch.js";
import { checkWatchedOutput } from "./secret-watch.js";

// The same cases at each run, so that a change is judged by what it changes. A seed explores others.
const seed = Number(process.env["SWITCHYARD_SEED"] ?? 1);
fc.configureGlobal({ numRuns: propertyRuns(100), seed });

// Registered for each test file, as files share their modules. Not after each test, as other tests of the
// file may run at the same time.
afterAll(() => {
  endProcesses();
  try {
    checkWatchedOutput();
  } finally {
    removeScratch();
  }
});
