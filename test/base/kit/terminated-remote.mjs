// Terminates threads while they answer a call, and waits for their end with nothing else to do.
import { startThread } from "../../../src/base/thread-call.js";

for (let round = 0; round < 10; round++) {
  const remote = startThread(new URL("./served.js", import.meta.url));
  await remote.call("add", 1, 2);
  const last = remote.call("add", 3, 4);
  last.catch(() => undefined);
  // The answer is there, unread, when the thread is terminated.
  const until = performance.now() + 20;
  while (performance.now() < until);
  await remote.terminate();
}
console.log("ended");
