import path from "node:path";
import { both } from "../../base/both.js";
import { exitCodes, UsageError } from "../../base/errors.js";
import { formatCount } from "../../base/format-count.js";
import { version } from "../../base/package-files.js";
import type { EventTotals } from "../../http/metrics.js";
import { createLogger } from "../../http/request-log.js";
import { startServer } from "../../http/server.js";
import { listenError } from "../../options/listen-error.js";
import { type Environment, WEBHOOK_SECRET_VARIABLE } from "../../options/secrets.js";
import { formatNumberOf } from "../../report/quantities.js";
import { createService } from "../../service/create-service.js";
import { signInUrl } from "../../service/sign-in-tickets.js";
import { webhookSecret } from "../../service/webhook-signature.js";
import type { Target } from "../../target/target.js";
import { defaultTarget } from "../../target/targets.js";
import type { CommandContext } from "../context.js";
import { type CommandLine, runConfigured } from "../run-configured.js";
import { openJournals, openServiceStore } from "./open-service-store.js";
import {
  admitKeys,
  type GivenKey,
  keyVariables,
  type NewKey,
  readGivenKeys,
} from "./service-keys.js";
import { type ServiceOptions, serviceOptionsOf } from "./service-options.js";

interface ServeLine extends CommandLine {
  /** The directory or file of the first entities. */
  readonly entities: string | undefined;
}

/** Serves until the first signal and returns the exit code; never throws. */
export function runServe({ entities, ...line }: ServeLine, context: CommandContext) {
  return runConfigured("serve", line, context, async ({ values }) => {
    const options = serviceOptionsOf(values, context.currentDirectory);
    const [keys, secret] = both(
      () => readGivenKeys(context.environment),
      () => readWebhookSecret(options.webhooks, context.environment),
    );
    const { dataDirectory } = options;
    const applyFirst = await firstEntities(entities, dataDirectory, context);
    await serve(options, keys, secret, applyFirst, context);
    return exitCodes.done;
  });
}

/** Reads the first entities, if there are any, and returns the function that stores them. */
async function firstEntities(
  entities: string | undefined,
  dataDirectory: string,
  { currentDirectory, signal, stderr }: CommandContext,
): Promise<() => Promise<void>> {
  if (entities === undefined) return async () => undefined;
  const place = path.resolve(currentDirectory, entities);
  // A service without them does not load the client.
  const { readEntityFiles } = await import("../../console/entities/entity-directory.js");
  const { applyFirstEntities } = await import("./first-entities.js");
  const files = await readEntityFiles(place);
  return async () => {
    const count = await applyFirstEntities(dataDirectory, files, signal);
    stderr.write(
      count === undefined
        ? `${dataDirectory} has data: the entities of ${place} were not applied\n`
        : `First start: the entities of ${place} are stored (${formatCount(count)})\n`,
    );
  };
}

/** Listens before it opens the store, so that /readyz answers during the start. */
async function serve(
  options: ServiceOptions,
  givenKeys: readonly GivenKey[],
  webhookSecret: Uint8Array | undefined,
  applyFirst: () => Promise<void>,
  { signal, stdout, stderr }: CommandContext,
): Promise<void> {
  const { listen, dataDirectory, target, logLevel, output } = options;
  const app = createService({
    ...options,
    logger: createLogger(logLevel),
    webhookSecret,
    journals: openJournals(dataDirectory),
  });
  const openStore = async () => {
    await applyFirst();
    return openServiceStore(dataDirectory, {
      onCommit: app.metrics.observeCommit,
      // They cannot be shown later, so print them before anything else can fail.
      prepareKeys: async (keys) => {
        const made = await admitKeys(keys, givenKeys, Date.now);
        if (made.length > 0) stderr.write(newKeysText(made));
      },
    });
  };
  const server = await startServer(app, listen, openStore).catch((error: unknown) => {
    throw listenError(error, listen, "listen");
  });
  const stopAsked = aborted(signal);
  try {
    await Promise.race([server.ready, stopAsked]);
    if (signal.aborted) return;
    const { url } = server;
    const facts = {
      url,
      signInUrl: signInUrl(url, app.newSignInTicket()),
      version,
      pid: process.pid,
      dataDirectory,
    };
    if (output.json) stdout.write(`${JSON.stringify({ command: "serve", ...facts })}\n`);
    else stderr.write(readyText(facts));
    await stopAsked;
  } finally {
    await server.stop();
    const totals = await app.metrics.eventTotals();
    if (target.name !== defaultTarget && totals.stored > 0) stderr.write(rehearsed(target, totals));
  }
}

/** Reads the secret that webhooks need. Throws `UsageError`; does not show the value. */
function readWebhookSecret(
  webhooks: readonly string[],
  environment: Environment,
): Uint8Array | undefined {
  if (webhooks.length === 0) return undefined;
  const text = environment[WEBHOOK_SECRET_VARIABLE] ?? "";
  const secret = webhookSecret(text);
  if (secret !== undefined) return secret;
  const state = text === "" ? "is not set" : "is not such a secret";
  throw new UsageError(
    "webhook_secret_missing",
    `Webhooks are signed with a secret: whsec_ and the base64 of 24 to 64 random bytes; ` +
      `${WEBHOOK_SECRET_VARIABLE} ${state}. Make one: echo "whsec_$(openssl rand -base64 32)"`,
  );
}

function rehearsed({ title }: Target, { stored, dropped, changed }: EventTotals): string {
  const all = formatNumberOf(stored, "event");
  return `Of ${all}, ${title} would drop ${formatCount(dropped)} and change ${formatCount(changed)} more\n`;
}

function newKeysText(made: readonly NewKey[]): string {
  const lines = made.map(({ kind, key }) => `export ${keyVariables[kind]}=${key}`);
  return `First start: keys were created. They are shown only now; the service stores their hashes.\n\n${lines.join("\n")}\n\n`;
}

interface ReadyFacts {
  readonly url: string;
  readonly signInUrl: string;
  readonly dataDirectory: string;
}

function readyText({ url, signInUrl, dataDirectory }: ReadyFacts): string {
  return (
    `Switchyard ${version} listens on ${url}, with its data in ${dataDirectory}\n` +
    `Open the console: ${signInUrl}\n` +
    `Read the API at ${url}/docs\n`
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
