import { both } from "../base/both.js";
import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { flagText, option } from "../base/option-text.js";
import { resolveMapping } from "../mapper/resolve-mapping.js";
import { isObjectUrl } from "../store/object-url.js";
import type { Target } from "../target/target.js";
import { defaultTarget, loadTarget } from "../target/targets.js";
import { eventUrl } from "../webhook/post.js";
import type { Configuration } from "./configuration.js";
import { CONFIGURATION_NAME } from "./configuration-file.js";
import { dedupeRanges } from "./dedupe-options.js";
import type { SendRequest } from "./options.js";
import { resolveDedupe, resolveRunOptions, valuesOf } from "./run-options.js";
import { SERVER_SECRET_VARIABLE } from "./secrets.js";

/**
 * Resolves the options of `send`. `command` is the command line that resumes the run. Throws
 * `UsageError` if inputs, destination or secret are missing, or options contradict each other.
 */
export function resolveSendRequest(
  configuration: Configuration,
  command: readonly string[],
): SendRequest {
  const values = valuesOf(configuration);
  const { concurrency, rate, unsafeLock } = values;
  // Other processes cannot reach a service inside this process.
  const queue = configuration.destination === undefined ? values.queue : undefined;
  const run = resolveRunOptions(configuration);
  if (queue !== undefined && run.dedupe !== undefined) {
    throw new UsageError(
      "shard_unsupported",
      `send ${option("queue")} cannot remove duplicates: leave out ${option("dedupe")}, or send from one process without ${option("queue")}.`,
    );
  }
  const door = doorOf(configuration);
  const [destination, serverSecret] = both(
    () => destinationOf(configuration, door),
    () => requireSecret(configuration),
  );
  return {
    ...run,
    ...destination,
    ...bodyOf(door, configuration),
    ...idempotencyOf(configuration),
    concurrency,
    ...rate,
    ...omitUndefined({ queue }),
    unsafeLock,
    timeoutMs: values.timeout * 1000,
    giveUpAfterMs: values.giveUpAfter * 1000,
    authHeader: configuration.values.authHeader ?? door?.authHeader ?? values.authHeader,
    serverSecret,
    runsDirectory: runsOf(values.runs, queue),
    command: resumingCommand(command),
    // One thread reads and maps faster than any service accepts events, and one rate limit suffices.
    threads: 1,
    maxRejects: configuration.rejectLimits.send ?? values.maxRejects,
    fresh: values.sendFresh,
  };
}

/**
 * Returns the arguments that resume a run: without --fresh, which starts over, and without the
 * password of Redis.
 */
function resumingCommand(words: readonly string[]): readonly string[] {
  return words
    .filter((word) => word !== flagText("fresh"))
    .map((word) => word.replace(/(rediss?:\/\/).*@/, "$1"));
}

function runsOf(runs: string, queue: string | undefined): string {
  if (!isObjectUrl(runs) || queue !== undefined) return runs;
  throw new UsageError(
    "runs_in_store",
    `${option("runs")} ${runs} needs ${option("queue")}: a process that sends alone records each request in a directory.`,
  );
}

/**
 * Uses the key of `--dedupe`, or the one that it would have: a service then stores once what
 * `--dedupe` treats as one event.
 */
function idempotencyOf(configuration: Configuration) {
  const values = valuesOf(configuration);
  if (values.idempotency === "position") return {};
  if (values.batchSize !== 1) {
    throw new UsageError(
      "idempotency_useless",
      `${option("idempotency")} ${values.idempotency} needs ${option("batchSize")} 1: a request has one Idempotency-Key, so it has to carry one event.`,
    );
  }
  const mapping = resolveMapping(values.preset, configuration.mapping);
  const { within = dedupeRanges[0] } = values.dedupe ?? {};
  const idempotency = resolveDedupe(
    { ...values, dedupe: { within } },
    mapping,
    `${option("idempotency")} insertID`,
  );
  return omitUndefined({ idempotency });
}

type Door = NonNullable<Target["send"]>;

/**
 * Returns the target's own way to send events: if no address is given, or one with its path. A service inside
 * of the process has the webhook.
 */
function doorOf({ values, destination }: Configuration): Door | undefined {
  const { send } = loadTarget(values.target ?? defaultTarget);
  if (send === undefined || destination !== undefined) return undefined;
  const isTaken = values.sendTo?.replace(/\/+$/, "").endsWith(new URL(send.url).pathname) ?? true;
  return isTaken ? send : undefined;
}

/** Returns the form of bodies: with one event in a request, its object, unless the target wants a list. */
function bodyOf(door: Door | undefined, configuration: Configuration) {
  const { batchSize } = valuesOf(configuration);
  if (door === undefined) {
    return { body: batchSize === 1 ? "object" : "array", batchRows: batchSize } as const;
  }
  const { body, success } = door;
  const batchRows = configuration.values.batchSize ?? door.batchSize;
  return { body, batchRows, ...omitUndefined({ success }) };
}

function destinationOf({ values: { sendTo }, destination }: Configuration, door?: Door) {
  if (door !== undefined) {
    const { href } = new URL(sendTo ?? door.url);
    return { destination: href, eventUrl: href };
  }
  if (sendTo !== undefined) {
    const { href } = eventUrl(sendTo);
    return { destination: destination ?? href, eventUrl: href };
  }
  throw new UsageError(
    "destination_missing",
    `No service to send to: pass ${option("to")} <url>, or add "send": { "to": … } to ${CONFIGURATION_NAME}.`,
  );
}

/** Throws `UsageError` (`secret_missing`). */
export function requireSecret({ serverSecret }: Configuration): string {
  if (serverSecret !== undefined) return serverSecret;
  throw new UsageError(
    "secret_missing",
    `No server secret: set ${SERVER_SECRET_VARIABLE}, or pass ${option("serverSecretFile")} with a file that holds it.`,
  );
}
