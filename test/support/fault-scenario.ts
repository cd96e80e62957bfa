import { CUTS_MAX } from "../../src/base/limits.js";
import type { ReceivedRequest } from "./faulty-service.js";
import { createRandom } from "./random.js";
import { accepted, type GivenAnswer, isStoring, manners, type Reaction } from "./reaction.js";

/** A service with faults and a sender that meets them. Depends on the seed alone. */
export interface Scenario {
  /** The options after the inputs and the address. */
  readonly words: readonly string[];
  /** Events of one request. */
  readonly batchRows: number;
  readonly concurrency: number;
  /** For each run, the number of the request at whose arrival the sender is killed. */
  readonly kills: readonly number[];
  /** True if some requests stay unanswered until `--timeout` ends them. */
  readonly isSilent: boolean;
  /** True if the service always refuses the event with this index. */
  isRefused(index: number): boolean;
  decide(request: ReceivedRequest): Reaction;
}

type Draw = () => number;
type Fault = (draw: Draw) => Reaction;

/** Reactions that store nothing and say so. */
export const busyFaults: readonly Fault[] = [
  () => ({ status: 429, headers: { "retry-after": "0" } }),
  () => ({ status: 429, headers: { "retry-after": new Date(0).toUTCString() } }),
  () => ({ status: 429, headers: { "retry-after": "soon" }, manner: "unread" }),
  () => ({ status: 408, manner: "closing" }),
  () => ({ status: 425 }),
  () => ({ status: 409 }),
  () => ({ status: 503, body: { message: "not ready" }, manner: "dribbled" }),
];

/** Reactions after which the sender cannot know what is stored. */
export const doubtfulFaults: readonly Fault[] = [
  (draw) => ({ status: pick(draw, [500, 502, 504, 599]), isStored: draw() < 0.5 }),
  () => "reset_early",
  () => "reset_within",
  () => "reset_late",
  () => "half_head",
  () => "half_body",
  () => "half_chunk",
  () => "garbage",
];

/** Reactions that each cost the time of `--timeout`. */
const silentFaults: readonly Fault[] = [() => "mute", () => "head_only"];
const SILENT_MAX = 3;

/** With more a request may be stored, and then divided because it seems to be too large. */
const FAULTS_OF_KEY_MAX = CUTS_MAX;

/** Reactions that answer correctly, in an unusual way. */
const oddWays: readonly Fault[] = manners.map((manner) => () => ({ ...accepted, manner }));

export function drawScenario(seed: number): Scenario {
  const draw = createRandom(scatter(seed) * 2 ** 32);
  const isArray = draw() < 0.5;
  const batchRows = isArray ? 2 + Math.floor(draw() * 99) : 1;
  const concurrency = 4 + Math.floor(draw() * 28);
  const isSilent = draw() < 0.3;
  const kinds = [busyFaults, doubtfulFaults, oddWays].filter(() => draw() < 0.7);
  const refusal = {
    share: draw() * 0.02,
    hasNames: draw() < 0.5,
    rowsMax: Math.max(1, batchRows * (0.15 + draw())),
  };
  const share = 0.05 + draw() * 0.15;
  const kills = Array.from({ length: Math.floor(draw() * 4) }, () => Math.ceil(draw() * 150));
  const isRefused = (index: number) => scatter(seed + index) < refusal.share;
  const faultOf = faultPlan(draw, { kinds: kinds.flat(), share, isSilent });
  const judge = judgeOf({ ...refusal, isRefused });
  return {
    words: [
      ...(isArray ? ["--batch-size", String(batchRows)] : []),
      "--concurrency",
      String(concurrency),
      "--timeout",
      isSilent ? "1" : "60",
      ...(draw() < 0.5 ? ["--split-size", "64KiB"] : []),
    ],
    batchRows,
    concurrency,
    kills,
    isSilent,
    isRefused,
    decide: (request) => decide(faultOf(request), judge(request)),
  };
}

/** Makes sure that a reaction does not store what would be refused. */
export function decide(fault: Reaction | undefined, judged: GivenAnswer): Reaction {
  if (fault === undefined) return judged;
  return isStoring(fault) && judged.status >= 300 ? judged : fault;
}

export interface FaultPlan {
  readonly kinds: readonly Fault[];
  /** Share of the requests that have a fault. */
  readonly share: number;
  readonly isSilent?: boolean;
}

/**
 * Returns the fault that a request meets, the same for each call; some come in bursts. No key meets so
 * many that its sender waits for long.
 */
export function faultPlan(
  draw: Draw,
  { kinds, share, isSilent = false }: FaultPlan,
): (request: ReceivedRequest) => Reaction | undefined {
  const drawn: (Reaction | undefined)[] = [];
  const met = new Map<string, Set<number>>();
  let silent = isSilent ? 0 : SILENT_MAX;
  const drawMore = () => {
    if (kinds.length === 0 || draw() > share) return drawn.push(undefined);
    if (silent < SILENT_MAX && draw() < 0.2) {
      silent++;
      return drawn.push(pick(draw, silentFaults)(draw));
    }
    const fault = pick(draw, kinds)(draw);
    const burst = draw() < 0.1 ? Math.ceil(draw() * 20) : 1;
    return drawn.push(...Array.from({ length: burst }, () => fault));
  };
  return ({ index, key }) => {
    while (drawn.length <= index) drawMore();
    const places = met.get(key) ?? new Set();
    if (drawn[index] !== undefined && (places.has(index) || places.size < FAULTS_OF_KEY_MAX)) {
      met.set(key, places.add(index));
      return drawn[index];
    }
    return undefined;
  };
}

export interface Refusals {
  /** Events in one request, at most. */
  readonly rowsMax: number;
  /** True if the service names the faulty events of an array. */
  readonly hasNames: boolean;
  isRefused(index: number): boolean;
}

/** The answer of a service without faults: 413, 400, or that it has stored the events. */
export function judgeOf({ rowsMax, hasNames, isRefused }: Refusals) {
  return ({ events }: ReceivedRequest): GivenAnswer => {
    if (events.length > rowsMax) return { status: 413, body: { message: "too large" } };
    const places = events.flatMap(({ metadata }, place) =>
      isRefused(metadata.index) ? [place] : [],
    );
    if (places.length === 0) return accepted;
    const errors = places.map((place) => ({ property: `[${place}].event`, errorMessage: "odd" }));
    return { status: 400, body: { message: "odd", errors: hasNames ? errors : [] } };
  };
}

/** A number from 0 to 1, far apart for neighbours. */
function scatter(value: number): number {
  return (Math.imul(value, 2_654_435_761) >>> 0) / 2 ** 32;
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
