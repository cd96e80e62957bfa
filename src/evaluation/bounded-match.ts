import { createContext, Script } from "node:vm";
import { hasCode } from "../base/errors.js";

/** Milliseconds that an expression may take for a text. Other requests wait meanwhile. */
const MATCH_MS_MAX = 20;

/** Steps of matching that are made without a limit of time: less than a millisecond. */
const STEPS_MAX = 1_000_000;

const script = new Script("expression.test(text)");
const context = createContext({});

/**
 * Returns a match with an expression in bounded time. Expressions that may need exponential or cubic time
 * for a text run with a limit, which costs 0.3 ms; a text that exceeds it does not match.
 */
export function boundedMatch(expression: RegExp): (text: string) => boolean {
  const degree = degreeOf(expression.source);
  return (text) =>
    text.length ** degree <= STEPS_MAX ? expression.test(text) : limitedTest(expression, text);
}

function limitedTest(expression: RegExp, text: string): boolean {
  try {
    Object.assign(context, { expression, text });
    return script.runInContext(context, { timeout: MATCH_MS_MAX }) === true;
  } catch (error) {
    if (hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) return false;
    throw error;
  }
}

/** Returns the power of the length that the steps of matching grow with at most; infinite if exponential. */
function degreeOf(source: string): number {
  const plain = source.replace(/\\./gs, "a").replace(/\[[^\]]*\]/g, "a");
  if (/\)[*+{]/.test(plain) || /\\[1-9k]/.test(source)) return Number.POSITIVE_INFINITY;
  // Each may stop anywhere, and the match may begin anywhere.
  return 1 + (plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0);
}
