import { UsageError } from "./errors.js";

/**
 * Calls both functions and returns their results. If both throw a `UsageError`, it throws one with both
 * messages and the code of the first, so that a user can fix both at once.
 */
export function both<One, Other>(one: () => One, other: () => Other): readonly [One, Other] {
  const [first, second] = [attempt(one), attempt(other)];
  if ("fault" in first && "fault" in second) {
    const messages = [first.fault.message, second.fault.message];
    throw new UsageError(first.fault.code, messages.join("\n"));
  }
  if ("fault" in first) throw first.fault;
  if ("fault" in second) throw second.fault;
  return [first.result, second.result];
}

function attempt<Result>(
  call: () => Result,
): { readonly result: Result } | { readonly fault: UsageError } {
  try {
    return { result: call() };
  } catch (error) {
    if (error instanceof UsageError) return { fault: error };
    throw error;
  }
}
