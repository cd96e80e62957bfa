// Calls a thread and a process once; then only they are left.
import { startProcess } from "../../../src/base/process-call.js";
import { startThread } from "../../../src/base/thread-call.js";

const entry = new URL("./served.js", import.meta.url);
const sums = [startThread(entry), startProcess(entry)].map((remote) => remote.call("add", 1, 2));
console.log((await Promise.all(sums)).join(" "));
