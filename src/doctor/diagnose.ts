import { flagText } from "../base/option-text.js";
import { inspectInputs } from "../engine/inspect-inputs.js";
import { requireExpected } from "../engine/require-expected.js";
import type { Configuration } from "../options/configuration.js";
import { STANDARD_OUTPUT } from "../options/options.js";
import { placeOf, valuesOf } from "../options/run-options.js";
import type { Environment } from "../options/secrets.js";
import { formatNumberOf } from "../report/quantities.js";
import { checkStart } from "../run/run-setup.js";
import { isObjectUrl } from "../store/object-url.js";
import { type Check, ok, type PlannedCheck, runCheck, warning } from "./check.js";
import { describeInputs, describeListed, INPUTS_OPENED_MAX } from "./input-checks.js";
import { checkClock, checkMemory, checkNode, checkOpenFiles } from "./machine-checks.js";
import { checkDirectory, checkOutput, checkSpace } from "./output-checks.js";
import { type PlannedRuns, planRuns } from "./planned-runs.js";
import { checkPlainText, checkProxies, checkSecrets } from "./secret-checks.js";
import { checkConsole, checkQueue, checkWebhook } from "./service-checks.js";
import type { SystemFacts } from "./system-facts.js";

interface Diagnosis {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Absolute; holds the data of an embedded service. */
  readonly dataDirectory: string;
  readonly system: SystemFacts;
  readonly signal: AbortSignal;
}

/** Starts all checks that a configuration needs, and yields their results in the order of the plan. */
export async function* diagnose(diagnosis: Diagnosis): AsyncGenerator<Check> {
  const runs = planRuns(diagnosis.configuration, diagnosis.system.machine);
  const plan = [
    ...planMachineChecks(diagnosis, runs),
    ...planInputChecks(diagnosis, runs),
    ...planOutputChecks(diagnosis),
    ...planServiceChecks(diagnosis, runs),
  ];
  for (const result of plan.map(runCheck)) {
    yield* await result;
    diagnosis.signal.throwIfAborted();
  }
}

function planMachineChecks(
  { configuration, environment, system }: Diagnosis,
  { run, faults }: PlannedRuns,
): readonly PlannedCheck[] {
  return [
    { name: "node", run: async () => [checkNode(system)] },
    { name: "options", run: async () => faults },
    { name: "secrets", run: async () => checkSecrets(configuration, environment) },
    {
      name: "memory",
      run: async () => (run === undefined ? [] : [checkMemory(run, system)]),
    },
    {
      name: "open files",
      async run() {
        const count = system.openFilesMax();
        return count === undefined ? [] : [checkOpenFiles(count)];
      },
    },
  ];
}

/** Plans the checks that need options of a run: mapping, transform, inputs and space for them. */
function planInputChecks(
  { configuration, system, signal }: Diagnosis,
  { run, export: exported }: PlannedRuns,
): readonly PlannedCheck[] {
  if (run === undefined) return [];
  const inputs = inspectInputs(run, INPUTS_OPENED_MAX, signal);
  const { s3 } = run;
  return [
    {
      name: "mapping",
      async run() {
        await checkStart(run, signal);
        const count = await requireExpected(configuration, signal);
        const tests =
          count === 0
            ? `"expect" has no rows to test it with`
            : `${formatNumberOf(count, "row")} of "expect" tested`;
        return [ok("mapping", `preset ${run.preset}; ${tests}`)];
      },
    },
    {
      name: "inputs",
      async run() {
        const inspected = await inputs;
        const { object } = inspected;
        if (object === undefined) return describeInputs(inspected);
        const { storeTime } = await import("./store-probe.js");
        const clock = checkClock(
          "the store of the inputs",
          await storeTime(object, { s3, signal }),
          system,
        );
        return [...describeInputs(inspected), ...clock];
      },
    },
    {
      name: "lists",
      async run() {
        const inspected = await inputs.catch(() => undefined);
        if (inspected === undefined) return [];
        const { checkListed } = await import("../engine/check-listed.js");
        return describeListed(await checkListed(run, inspected.listed, signal));
      },
    },
    {
      name: "space",
      async run() {
        const inspected = await inputs.catch(() => undefined);
        if (inspected === undefined || exported === undefined) return [];
        return [await checkSpace(exported, inspected, system)];
      },
    },
  ];
}

function planOutputChecks({
  configuration,
  dataDirectory,
  system,
  signal,
}: Diagnosis): readonly PlannedCheck[] {
  const { values, steps } = configuration;
  const { to, sendTo, console, service } = values;
  const { layout, runs, report } = valuesOf(configuration);
  const { dataset } = layout;
  const hasDestination = [to, sendTo, console, service].some((one) => one !== undefined);
  const plan: PlannedCheck[] = [];
  const probe = (name: string, directory: string) =>
    plan.push(
      isObjectUrl(directory)
        ? {
            name,
            run: () =>
              checkOutput({ ...placeOf(configuration, directory), signal }, dataset, system),
          }
        : checkDirectory(name, directory),
    );
  if (to !== undefined && to !== STANDARD_OUTPUT) {
    const place = { ...placeOf(configuration, to), signal };
    plan.push({ name: "output", run: () => checkOutput(place, dataset, system) });
  }
  if (sendTo !== undefined) probe("runs", runs);
  if (service === "embedded") probe("data", dataDirectory);
  if (steps.includes("validate") || !hasDestination) probe("report", report);
  probe("temporary", system.temporaryDirectory);
  if (!hasDestination) {
    const advice = `none is configured; pass ${flagText("to")} with a directory, a bucket or the URL of a service`;
    plan.push({ name: "output", run: async () => [warning("output", advice)] });
  }
  return plan;
}

function planServiceChecks(
  { configuration, environment, system, signal }: Diagnosis,
  { send, console }: PlannedRuns,
): readonly PlannedCheck[] {
  const { values } = configuration;
  const { sendTo, console: baseUrl, queue, to = "", inputs = [] } = values;
  const services = [sendTo, baseUrl].filter((one) => one !== undefined);
  const stores = [to, ...inputs].filter((one) => /^(?:s3|gs):/.test(one));
  const plan: PlannedCheck[] = [
    { name: "tls", run: async () => checkPlainText(services) },
    {
      name: "proxy",
      run: async () => checkProxies([...services, ...stores], environment),
    },
  ];
  if (send !== undefined) plan.push({ name: "webhook", run: () => checkWebhook(send, system) });
  if (console !== undefined)
    plan.push({ name: "console", run: async () => [await checkConsole(console, signal)] });
  if (queue !== undefined) plan.push({ name: "queue", run: async () => [await checkQueue(queue)] });
  return plan;
}
