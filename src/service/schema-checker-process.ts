import { createContext, Script } from "node:vm";
import { hasCode } from "../base/errors.js";
import { serveCalls } from "../base/thread-call.js";
import type { SchemaCheckerProcess } from "./isolated-schema-checker.js";
import { checkSchema } from "./schema-check.js";
import type { CheckFault, SchemaQuestion } from "./schema-checker.js";

let question: SchemaQuestion = { schema: "true", values: [{}] };
const context = createContext({ check: () => checkSchema(question) });
const script = new Script("check()");

// A terminal sends signals to all its processes. Only the service acts on them: it ends this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

// The first check compiles the meta-schema; no caller's timeout should include that.
checkSchema(question);

// Entry file of the processes that check schemas.
serveCalls<SchemaCheckerProcess>({
  start() {},
  check(asked, timeoutMs) {
    question = asked;
    try {
      // A vm timeout is the only way to stop synchronous code, regular expressions included.
      const faults = script.runInContext(context, { timeout: timeoutMs }) as CheckFault[];
      return { kind: "checked", faults };
    } catch (error) {
      if (!hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw error;
      return { kind: "too_long" };
    }
  },
});
