// A process that checks schemas wrongly, in the way that the question's schema names.
const faults = {
  // What no timer within the process ends.
  stuck: () => {
    for (;;);
  },
  crash: () => process.abort(),
};

process.on("message", ({ question }) => faults[question.schema]());
process.send({ kind: "ready" });
