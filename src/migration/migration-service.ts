import { UsageError } from "../base/errors.js";
import type { StoredEvents } from "../check/verify/stored-counts.js";
import type { CommandContext } from "../commands/context.js";
import { serviceOptionsOf } from "../commands/service/service-options.js";
import type { Configuration } from "../options/configuration.js";
import { flagOf, keyOf } from "../options/option-names.js";

/** Events of a request to the embedded service, which accepts arrays. */
const EMBEDDED_BATCH_SIZE = 500;

/** The configuration and service that a migration works with. */
export interface MigrationService {
  /** The configuration of the migration, pointing to the embedded service if there is one. */
  readonly configuration: Configuration;
  /** Absent if the service is not embedded. */
  readonly embedded?: {
    readonly dataDirectory: string;
    readonly stored: StoredEvents;
  };
  /** The console of the service that runs in this process, if one does. */
  readonly console?: {
    /** Returns a link that signs in and leads to a path of the console. */
    signInUrl(next: string): string;
  };
  stop(): Promise<void>;
}

/**
 * Starts the embedded service if the configuration asks for it, or the migration is watched. Throws `UsageError` if the
 * configuration also names another one, and what `startEmbeddedService` throws.
 */
export async function openMigrationService(
  configuration: Configuration,
  { currentDirectory }: Pick<CommandContext, "currentDirectory">,
  isWatched: boolean,
): Promise<MigrationService> {
  const { values, steps } = configuration;
  const isUsed =
    values.service !== undefined && steps.some((step) => step === "send" || step === "qualify");
  if (!isUsed && !isWatched) return { configuration, stop: async () => undefined };
  if (isUsed) refuseOthers(configuration);
  const { dataDirectory } = serviceOptionsOf(values, currentDirectory);
  // It takes longer to load than most commands to run.
  const { startEmbeddedService } = await import("../commands/service/embedded-service.js");
  const service = await startEmbeddedService(dataDirectory, values.logLevel ?? "error");
  const stop = () => service.stop();
  // It only shows the migration.
  if (!isUsed) return { configuration, console: service, stop };
  const { authHeader: _, ...others } = values;
  return {
    configuration: {
      ...configuration,
      values: {
        ...others,
        sendTo: service.url,
        console: service.url,
        // Arrays are many times faster.
        batchSize: values.batchSize ?? EMBEDDED_BATCH_SIZE,
        // Only this process uses it, so nothing needs to be confirmed.
        yes: values.yes ?? true,
        // Keep the runs beside the events, so that they are deleted together.
        runs: values.runs ?? `${dataDirectory}/runs`,
      },
      // The port differs at each start.
      destination: `the embedded service in ${dataDirectory}`,
      consoleKey: service.keys.console,
      serverSecret: service.keys.server,
    },
    embedded: { dataDirectory, stored: service.events },
    console: service,
    stop,
  };
}

function refuseOthers({ values }: Configuration): void {
  const named = (["sendTo", "console"] as const).filter((name) => values[name] !== undefined);
  if (named.length > 0) {
    throw new UsageError(
      "service_contradicted",
      `"service": "embedded" starts a service, but ${named.map(keyOf).join(" and ")} ` +
        `(${named.map(flagOf).join(", ")}) name${named.length === 1 ? "s" : ""} another one; remove one of them.`,
    );
  }
  if (values.data === ":memory:") {
    throw new UsageError(
      "service_forgetful",
      "An embedded service cannot keep its data in memory: a resumed migration would count lost events " +
        "as stored. Set serve.data to a directory.",
    );
  }
}
