import { serveCalls } from "../../base/thread-call.js";
import { DecodeServer } from "../../sources/decode-ahead.js";

// Entry file of the thread that decompresses ahead of a worker.
serveCalls(new DecodeServer());
