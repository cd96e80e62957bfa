import { UsageError } from "../base/errors.js";
import type { Configuration } from "../options/configuration.js";
import { readExpectations } from "../options/expectations.js";
import { resolveValidateRequest } from "../options/run-options.js";
import { harmless } from "../report/terminal-text.js";

/**
 * Maps the rows of `expect` and returns their number. Throws `UsageError` if the mapping does not make
 * of a row what the configuration expects.
 */
export async function requireExpected(
  configuration: Configuration,
  signal: AbortSignal,
): Promise<number> {
  const { expect, directory } = configuration;
  const expected = await readExpectations(expect, directory);
  if (expected.length === 0) return 0;
  const request = resolveValidateRequest(configuration);
  const { checkExpectations } = await import("./check-expectations.js");
  const differences = await checkExpectations(expected, request, signal);
  if (differences.length === 0) return expected.length;
  throw new UsageError(
    "expectations_failed",
    `The mapping does not make of these rows what "expect" says. Correct one of them; nothing was read:\n  ` +
      differences.map(harmless).join("\n  "),
  );
}
