import { UsageError } from "../../base/errors.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { flagOf, keyOf } from "../../pipeline/configuration/options.js";
import type { StoredEvents } from "../../pipeline/verify/stored-counts.js";
import type { CommandContext } from "../context.js";
import { serviceOptionsOf } from "../service/service-options.js";

/** What a migration works with once its service, if it has one of its own, is there. */
export interface MigrationService {
  /** That of the migration, which now leads to the service. */
  readonly configuration: Configuration;
  /** Absent where the service is somebody else's. */
  readonly embedded?: {
    readonly dataDirectory: string;
    readonly stored: StoredEvents;
  };
  stop(): Promise<void>;
}

/**
 * Starts the service that the configuration asks for. Throws `UsageError` where it names another one as
 * well, and what `startEmbeddedService` throws.
 */
export async function openMigrationService(
  configuration: Configuration,
  { currentDirectory }: Pick<CommandContext, "currentDirectory">,
): Promise<MigrationService> {
  const { values, steps } = configuration;
  if (
    values.service === undefined ||
    !steps.some((step) => step === "send" || step === "qualify")
  ) {
    return { configuration, stop: async () => undefined };
  }
  refuseOthers(configuration);
  const { dataDirectory } = serviceOptionsOf(values, currentDirectory);
  // It takes longer to load than most commands to run.
  const { startEmbeddedService } = await import("../service/embedded-service.js");
  const service = await startEmbeddedService(dataDirectory, values.logLevel ?? "error");
  const { sendAuthHeader: _, qualifyAuthHeader: __, ...others } = values;
  return {
    configuration: {
      ...configuration,
      values: {
        ...others,
        ...{ sendTo: service.url, console: service.url },
        // It takes arrays, which are many times as fast.
        body: values.body ?? "array",
        // Nobody else works with it, so that there is nothing to be asked.
        yes: values.yes ?? true,
        // Beside the events, so that whoever deletes one has deleted the other.
        runs: values.runs ?? `${dataDirectory}/runs`,
      },
      // Its port is another one each time.
      destination: `the embedded service in ${dataDirectory}`,
      ...{ consoleKey: service.keys.console, serverSecret: service.keys.server },
    },
    embedded: { dataDirectory, stored: service.events },
    stop: () => service.stop(),
  };
}

function refuseOthers({ values }: Configuration): void {
  const named = (["sendTo", "console"] as const).filter((name) => values[name] !== undefined);
  if (named.length > 0) {
    throw new UsageError(
      "service_contradicted",
      `"service": "embedded" is a service of its own, and ${named.map(keyOf).join(" and ")} ` +
        `(${named.map(flagOf).join(", ")}) name${named.length === 1 ? "s" : ""} another one: leave one of them out.`,
    );
  }
  if (values.data === ":memory:") {
    throw new UsageError(
      "service_forgetful",
      "An embedded service cannot keep its data in memory: a migration that is taken up again would " +
        "take for stored what is gone. Give a directory as serve.data.",
    );
  }
}
