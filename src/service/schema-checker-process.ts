import { createContext, Script } from "node:vm";
import { hasCode } from "../base/error-code.js";
import { checkSchema } from "./schema-check.js";
import type { SchemaFault, SchemaQuestion } from "./schema-checker.js";
import type { FromSchemaProcess, ToSchemaProcess } from "./schema-process.js";

// Entry file of the processes that check schemas: one question, one answer.

let question: SchemaQuestion = { schema: "true", values: [{}] };
const context = createContext({ check: () => checkSchema(question) });
const script = new Script("check()");

/** The only way to end code that never waits, regular expressions included, from within its process. */
function checkWithin(timeout: number): SchemaFault[] {
  return script.runInContext(context, { timeout }) as SchemaFault[];
}

function answer(message: FromSchemaProcess): void {
  process.send?.(message);
}

// What a terminal sends to all of its processes is for the service to act on, which ends this one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

// The first check compiles the schema of schemas. It is not to count as anybody's time.
checkSchema(question);

process.on("message", (message: ToSchemaProcess) => {
  question = message.question;
  try {
    answer({ kind: "checked", faults: checkWithin(message.checkTimeoutMs) });
  } catch (error) {
    if (!hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw error;
    answer({ kind: "too_long" });
  }
});
answer({ kind: "ready" });
