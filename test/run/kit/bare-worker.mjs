// A worker that reads nothing, and merges nothing: the id of a merge says what becomes of it.
import { SwitchyardError } from "../../../src/base/errors.js";
import { serveCalls } from "../../../src/base/thread-call.js";

let stop = () => {};
let splitId;

serveCalls({
  setUp() {},
  read({ split }) {
    splitId = split.id;
  },
  commit: () => ({ id: splitId, rows: { read: 1, rejected: 0 } }),
  stop: () => stop(),
  merge({ id }) {
    if (id === "dies") process.exit(7);
    if (id === "fails") throw new SwitchyardError("disk_full", "full");
    if (id !== "waits") return { id, rows: 5, parts: [] };
    return new Promise((_, reject) => {
      stop = () => reject(new SwitchyardError("interrupted", "interrupted", { exitCode: 130 }));
    });
  },
});
