// Preloaded into a profiled process: each JavaScript thread writes the number that the system gives it to
// a file of its own, named after Node's number of the thread.
import { readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { threadId } from "node:worker_threads";

const systemId = basename(readlinkSync("/proc/thread-self"));
writeFileSync(join(process.env.BENCH_THREADS_DIRECTORY, `${threadId}.thread`), systemId);
