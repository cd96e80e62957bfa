// A thread or process that does what it is asked.
import { SwitchyardError, UsageError } from "../../../src/base/errors.js";
import { serveCalls } from "../../../src/base/thread-call.js";

let free = () => {};

serveCalls({
  add: (one, other) => one + other,
  waitUntilFreed: () =>
    new Promise((resolve) => {
      free = () => resolve("freed");
    }),
  free: () => free(),
  refuse: () => {
    throw new UsageError("not_that", "cannot do that");
  },
  refuseLate: async () => {
    throw new SwitchyardError("not_now", "cannot do that now", { exitCode: 3 });
  },
  crash: () => {
    throw new Error("not foreseen");
  },
  exit: (code) => process.exit(code),
  exhaust: () => {
    const kept = [];
    for (;;) kept.push(new Array(1_000).fill(kept.length));
  },
  spin: () => {
    for (;;);
  },
});
