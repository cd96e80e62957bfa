import { type MessagePort, parentPort } from "node:worker_threads";
import { checkSchema } from "./schema-check.js";
import type { SchemaQuestion } from "./schema-checker.js";
import type { FromSchemaThread } from "./schema-thread.js";

// Entry file of the threads that check schemas: one question, one answer.
const port = parentPort as MessagePort;
const answer = (message: FromSchemaThread) => port.postMessage(message);

// The first check compiles the schema of schemas. It is not to count as anybody's time.
checkSchema({ schema: "true", values: [{}] });

port.on("message", (question: SchemaQuestion) => {
  answer({ kind: "checked", faults: checkSchema(question) });
});
answer({ kind: "ready" });
