import { createHash } from "node:crypto";
import { createContext, Script } from "node:vm";
import { hasCode } from "../base/errors.js";

/** Milliseconds that an expression may take for a text. Other requests wait meanwhile. */
const MATCH_MS_MAX = 20;

/** Milliseconds that expressions may take in one turn of the event loop: all of a request. */
const TURN_MS_MAX = 60;

/** Milliseconds that an expression gets when those of the turn are used up. Less cuts fast ones. */
const MATCH_MS_MIN = 5;

/** Steps of matching that are made without a limit of time: less than a millisecond. */
const STEPS_MAX = 1_000_000;

/** Outcomes of limited matches that are known again: about a megabyte. */
const OUTCOMES_MAX = 10_000;

const TRIES_MAX = 3;

interface LimitedOutcome {
  /** Undefined if the time was up. */
  readonly matches: boolean | undefined;
  readonly tookMs: number;
}

type LimitedTest = (expression: RegExp, text: string, ms: number) => LimitedOutcome;

const script = new Script("expression.test(text)");
const context = createContext({});

/** Outcomes by digest: texts of users are not kept. */
const outcomes = new Map<string, boolean>();
let usedMs = 0;
let isTurnCounted = false;

/**
 * Returns a match with an expression in bounded time. Expressions that may need exponential or cubic
 * time for a text run with a limit, which costs 0.3 ms; a text that exceeds it does not match. The limit
 * falls as the turn's time is used up. The first outcome for a text holds for the next ones.
 */
export function boundedMatch(
  expression: RegExp,
  test: LimitedTest = limitedTest,
): (text: string) => boolean {
  const degree = degreeOf(expression.source);
  let wasCut = false;
  const limitedMatch = (text: string) => {
    // One that was cut before is not tried again in a turn without time.
    const ms = Math.min(MATCH_MS_MAX, Math.max(turnMsLeft(), wasCut ? 0 : MATCH_MS_MIN));
    if (ms < MATCH_MS_MIN) return false;
    const { matches, tookMs } = test(expression, text, ms);
    usedMs += tookMs;
    wasCut ||= matches === undefined;
    return matches ?? false;
  };
  return (text) => {
    if (text.length ** degree <= STEPS_MAX) return expression.test(text);
    const key = createHash("sha256").update(`${expression.source}\0${text}`).digest("base64");
    const outcome = outcomes.get(key) ?? limitedMatch(text);
    outcomes.set(key, outcome);
    if (outcomes.size > OUTCOMES_MAX) outcomes.delete(outcomes.keys().next().value ?? "");
    return outcome;
  };
}

function turnMsLeft(): number {
  if (!isTurnCounted) {
    isTurnCounted = true;
    usedMs = 0;
    setImmediate(() => {
      isTurnCounted = false;
    });
  }
  return Math.floor(TURN_MS_MAX - usedMs);
}

/** Tests again if other programs had the processor meanwhile: the outcome would hold. */
function limitedTest(expression: RegExp, text: string, timeout: number): LimitedOutcome {
  const start = performance.now();
  const outcome = (matches: boolean | undefined) => ({
    matches,
    tookMs: performance.now() - start,
  });
  for (let tries = 1; ; tries += 1) {
    const before = process.cpuUsage();
    try {
      Object.assign(context, { expression, text });
      return outcome(script.runInContext(context, { timeout }) === true);
    } catch (error) {
      if (!hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw error;
      const { user, system } = process.cpuUsage(before);
      const hadProcessor = (user + system) / 1_000 >= timeout / 2;
      if (hadProcessor || tries === TRIES_MAX) return outcome(undefined);
    }
  }
}

/** Returns the power of the length that the steps of matching grow with at most; infinite if exponential. */
function degreeOf(source: string): number {
  const plain = source.replace(/\\./gs, "a").replace(/\[[^\]]*\]/g, "a");
  if (/\)[*+{]/.test(plain) || /\\[1-9k]/.test(source)) return Number.POSITIVE_INFINITY;
  // Each may stop anywhere, and the match may begin anywhere.
  return 1 + (plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0);
}
