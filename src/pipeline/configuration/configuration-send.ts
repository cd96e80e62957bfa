import path from "node:path";
import { UsageError } from "../../base/errors.js";
import { eventUrl } from "../../sinks/webhook/post.js";
import type { SendRequest } from "../options.js";
import type { Configuration } from "./configuration.js";
import { resolveRunOptions } from "./configuration-export.js";
import { CONFIGURATION_NAME } from "./configuration-file.js";
import type { OptionValues } from "./configuration-options.js";
import { SERVER_SECRET_VARIABLE } from "./configuration-secrets.js";
import { type Machine, thisMachine } from "./machine.js";

const BATCH_ROWS = 500;
const CONCURRENCY = 32;
const TIMEOUT_SECONDS = 30;
const GIVE_UP_AFTER_SECONDS = 900;

/**
 * Everything that sending needs, with defaults. `command` is what takes the run up again. Throws
 * `UsageError` where inputs, destination or secret are missing, or options contradict each other.
 */
export function resolveSendRequest(
  configuration: Configuration,
  mapping: unknown,
  command: readonly string[],
  machine: Machine = thisMachine(),
): SendRequest {
  const { values } = configuration;
  const { rate, burst = rate } = values;
  return {
    ...resolveRunOptions(configuration, mapping, machine),
    ...destinationOf(configuration),
    ...bodyOptions(values),
    concurrency: values.concurrency ?? CONCURRENCY,
    ...(rate === undefined ? {} : { rate }),
    ...(burst === undefined ? {} : { burst }),
    timeoutMs: (values.timeout ?? TIMEOUT_SECONDS) * 1000,
    giveUpAfterMs: (values.giveUpAfter ?? GIVE_UP_AFTER_SECONDS) * 1000,
    authHeader: values.sendAuthHeader ?? "SERVICE-API-KEY",
    serverSecret: requireSecret(configuration),
    runsDirectory: runsDirectoryOf(configuration),
    // Going on is not starting over.
    command: command.filter((word) => word !== "--fresh"),
    // One thread reads and maps faster than any service takes events, and rate and pauses are one.
    threads: 1,
    maxRejects: values.sendMaxRejects ?? { rows: 0 },
    fresh: values.sendFresh ?? false,
  };
}

/** Where runs are remembered, for whatever command asks. */
export function runsDirectoryOf({ values, directory }: Configuration): string {
  return values.runs ?? path.join(directory, ".switchyard", "runs");
}

function bodyOptions({ body = "object", batchSize }: OptionValues) {
  if (body === "object" && batchSize !== undefined && batchSize > 1) {
    throw new UsageError(
      "batch_size_useless",
      `A request carries one event, so --batch-size ${batchSize} means nothing: add --body array where the service takes arrays.`,
    );
  }
  return { body, batchRows: body === "object" ? 1 : (batchSize ?? BATCH_ROWS) };
}

function destinationOf({ values: { sendTo }, destination }: Configuration) {
  if (sendTo !== undefined) {
    const { href } = eventUrl(sendTo);
    return { destination: destination ?? href, eventUrl: href };
  }
  throw new UsageError(
    "destination_missing",
    `No service to send to: give --to <url>, or put "send": { "to": … } into ${CONFIGURATION_NAME}.`,
  );
}

function requireSecret({ serverSecret }: Configuration): string {
  if (serverSecret !== undefined) return serverSecret;
  throw new UsageError(
    "secret_missing",
    `No server secret: put it into the environment as ${SERVER_SECRET_VARIABLE}, or into a file and give --server-secret-file.`,
  );
}
