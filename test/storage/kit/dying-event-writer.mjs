// A writer's thread that dies. `path` names a file that counts its starts: the first thread dies over
// its first batch, the second while it opens, the third cannot open, the fourth works.
import { readFileSync, writeFileSync } from "node:fs";
import { SwitchyardError } from "../../../src/base/errors.js";
import { serveCalls } from "../../../src/base/thread-call.js";

let starts = 0;

serveCalls({
  open(path) {
    starts = Number(readFileSync(path, "utf8")) + 1;
    writeFileSync(path, String(starts));
    if (starts === 2) process.exit(7);
    if (starts === 3) throw new SwitchyardError("disk_full", "no space is left");
  },
  write(batch) {
    if (starts === 1) throw new Error("the disk is on fire");
    return { requests: batch.length, events: batch.length };
  },
  close() {},
});
