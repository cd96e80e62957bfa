// A process that checks schemas wrongly, in the way that the question's schema names.
import { serveCalls } from "../../../src/base/thread-call.js";

const faults = {
  // No timer within the process ends it.
  stuck: () => {
    for (;;);
  },
  crash: () => process.abort(),
};

serveCalls({ start() {}, check: ({ schema }) => faults[schema]() });
