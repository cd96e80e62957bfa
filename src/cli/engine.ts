import { sep } from "node:path";
import { UsageError } from "../base/errors.js";
import { findMappingProblems } from "../mapper/mapping-problems.js";
import { mappingSchema } from "../mapper/mapping-schema.js";
import { resolveMapping } from "../mapper/resolve-mapping.js";
import type { RunOptions } from "../pipeline/options.js";
import { runCount } from "../pipeline/run-count.js";
import { runExport } from "../pipeline/run-export.js";
import { runSend } from "../pipeline/run-send.js";
import type { RunOutside } from "../pipeline/run-splits.js";
import { runValidate } from "../pipeline/run-validate.js";
import { verifyExport } from "../pipeline/verify/verify.js";
import { verifyStored } from "../pipeline/verify/verify-stored.js";
import { createFormatDetection } from "../readers/detect-format.js";
import { listInputs } from "../readers/inputs.js";
import { openRange, planRanges } from "../readers/registry.js";
import { discoverSources } from "../readers/sources.js";
import { rejectAdvice } from "../report/reject-advice.js";
import type { Engine } from "./context.js";
import { surveyInputs } from "./survey-inputs.js";

// The bundle finds entry files where their names stand like this.
const splitWorker = new URL("./split-worker.js", import.meta.url);

const validateWorker = new URL("./validate-worker.js", import.meta.url);

const countWorker = new URL("./count-worker.js", import.meta.url);

const sendWorker = new URL("./send-worker.js", import.meta.url);

/** The engine with the rooms that it works on: the one place that knows all of them. */
export const engine: Engine = {
  mappingSchema,
  findMappingProblems,
  resolveMapping,
  runValidate: (request, context) =>
    runValidate(request, context, outsideWith(validateWorker), {
      adviceOn: (code) => rejectAdvice[code],
    }),
  runExport: (options, context) => runExport(options, context, outsideWith(splitWorker)),
  runSend: (request, context) => runSend(request, context, outsideWith(sendWorker)),
  runCount: (request, context) => runCount(request, context, outsideWith(countWorker)),
  surveyInputs: async (request, signal) => {
    const { options, outputDirectory } = request;
    const discovery = await discover({ ...options, outputDirectory }, signal);
    return surveyInputs(request, discovery, signal, Date.now());
  },
  verifyExport: (directory, context) =>
    verifyExport(directory, { ...context, openReader: openRange }),
  verifyStored: (task, signal) => verifyStored(task, { signal, openReader: openRange }),
};

function outsideWith(workerEntry: URL): RunOutside {
  return { discover, planRanges, workerEntry, now: Date.now };
}

async function discover(options: RunOptions, signal: AbortSignal) {
  const { inputs, cwd, inputFormat, csv, ratioMax, outputDirectory, notInputs } = options;
  const given = inputFormat === undefined ? { csv } : { csv, kind: inputFormat };
  const found = await listInputs(inputs, cwd);
  // An output below an input directory is no input: the second run would read what the first wrote.
  const own = [outputDirectory, ...notInputs];
  const files = found.filter(
    ({ path }) => !own.some((one) => path === one || path.startsWith(one + sep)),
  );
  if (files.length === 0) {
    throw new UsageError(
      "input_in_output",
      `every input lies in the output directory ${outputDirectory}. Write to another directory.`,
    );
  }
  return discoverSources(files, { detect: createFormatDetection(given), ratioMax, signal });
}
