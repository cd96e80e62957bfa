import { exitCodes } from "../../base/errors.js";
import { version } from "../../base/package-files.js";
import { createApp } from "../../service/app.js";
import { createLogger } from "../../service/logger.js";
import { startServer } from "../../service/server.js";
import type { CommandContext } from "../context.js";
import { printFailure } from "../print-failure.js";
import { admitKeys, type NewKey } from "./admit-keys.js";
import { type GivenKey, keyVariables, readGivenKeys } from "./given-keys.js";
import { listenError } from "./listen-error.js";
import { openServiceStore } from "./open-service-store.js";
import {
  loadServiceOptions,
  type ServiceInvocation,
  type ServiceOptions,
} from "./service-options.js";

/** Serves until the first signal, and gives the exit code; never throws. */
export async function runServe(
  invocation: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let isJson = invocation.flags.json === true;
  try {
    const options = await loadServiceOptions(invocation, context);
    isJson = options.json;
    await serve(options, readGivenKeys(context.environment), context);
    return exitCodes.done;
  } catch (error) {
    return printFailure("serve", error, isJson, context);
  }
}

/** Listens first, so that whoever watches sees the service start; then opens the store. */
async function serve(
  { host, port, dataDirectory, keyHeader, logLevel, json }: ServiceOptions,
  givenKeys: readonly GivenKey[],
  { signal, stdout, stderr }: CommandContext,
): Promise<void> {
  const app = createApp({ logger: createLogger(logLevel), keyHeader });
  const openStore = () =>
    openServiceStore(dataDirectory, {
      onCommit: app.metrics.observeCommit,
      // Once stored they cannot be had again, so they are shown before anything else can fail.
      prepareKeys: async (keys) => {
        const made = await admitKeys(keys, givenKeys, Date.now);
        if (made.length > 0) stderr.write(newKeysText(made));
      },
    });
  const server = await startServer(app, { host, port }, openStore).catch((error: unknown) => {
    throw listenError(error, { host, port });
  });
  const stopAsked = aborted(signal);
  try {
    await Promise.race([server.ready, stopAsked]);
    if (signal.aborted) return;
    const facts = { url: server.url, version, pid: process.pid, dataDirectory };
    if (json) stdout.write(`${JSON.stringify({ command: "serve", ...facts })}\n`);
    else stderr.write(readyText(facts));
    await stopAsked;
  } finally {
    await server.stop();
  }
}

function newKeysText(made: readonly NewKey[]): string {
  const lines = made.map(({ kind, key }) => `export ${keyVariables[kind]}=${key}`);
  return `First start: keys were made. They are shown this once; only their hashes are kept.\n\n${lines.join("\n")}\n\n`;
}

function readyText({ url, dataDirectory }: { url: string; dataDirectory: string }): string {
  return (
    `Switchyard ${version} listens on ${url}, with its data in ${dataDirectory}\n` +
    `Read the API at ${url}/docs\n`
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
