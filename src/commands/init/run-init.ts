import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { surveyInputs } from "../../engine/survey-inputs.js";
import { type Configuration, loadConfiguration } from "../../options/configuration.js";
import { CONFIGURATION_NAME } from "../../options/configuration-file.js";
import { SCHEMA_ID, schemaText } from "../../options/configuration-schema.js";
import type { JsonObject } from "../../options/json-value.js";
import { resolveRunOptions } from "../../options/run-options.js";
import { MappingUnknown } from "../../survey/propose-mapping.js";
import { readingOptions } from "../command-options.js";
import { type CommandContext, outputOf } from "../context.js";
import { printFailure, printJsonOrText } from "../print-result.js";
import type { CommandLine } from "../run-configured.js";
import { draftConfiguration, draftSkeleton } from "./configuration-draft.js";
import { provideSchema, refuseExisting, relativePath, writeNewFile } from "./init-files.js";
import { summarizeSurvey } from "./survey-summary.js";

/** A command line of `init`; `--config` is the file to write. */
interface InitInvocation extends CommandLine {
  readonly force: boolean;
}

const DEFAULT_OUTPUT = "out";

/**
 * Writes a configuration for inputs and prints what it found. Returns the exit code; never throws.
 */
export async function runInit(
  invocation: InitInvocation,
  context: CommandContext,
): Promise<number> {
  let output = outputOf(invocation.flags);
  try {
    const { environment, currentDirectory } = context;
    const configuration = await loadConfiguration({
      flags: invocation.flags,
      environment,
      currentDirectory,
      configPath: null,
    });
    output = outputOf(configuration.values);
    const { survey, written } = await init(invocation, configuration, context);
    const json = { command: "init", exitCode: exitCodes.done, ...written, survey };
    printJsonOrText(json, summarizeSurvey(survey, written, context.program), output, context);
    return exitCodes.done;
  } catch (error) {
    return printFailure("init", interruptionOr(error, context.signal), output, context);
  }
}

async function init(
  { flags, configPath, force }: InitInvocation,
  configuration: Configuration,
  { currentDirectory, signal }: CommandContext,
) {
  const name = configPath ?? CONFIGURATION_NAME;
  const file = path.resolve(currentDirectory, name);
  const directory = path.dirname(file);
  if (!force) await refuseExisting(file, name);
  const { values } = configuration;
  const options = resolveRunOptions(configuration);
  const output = values.to ?? path.join(directory, DEFAULT_OUTPUT);
  const own = [...options.notInputs, output, file, path.join(directory, SCHEMA_ID)];
  const request = {
    options: { ...options, notInputs: own },
    outputDirectory: output,
    preset: values.preset,
  };
  const facts = {
    inputs: options.inputs.map((input) => inputIn(directory, currentDirectory, input)),
    output: plainPath(directory, output),
    given: Object.fromEntries(
      readingOptions.flatMap((option) => {
        const value = flags[option];
        return value === undefined ? [] : [[option, value] as const];
      }),
    ) as JsonObject,
  };
  const survey = await surveyInputs(request, signal).catch(async (error: unknown) => {
    if (!(error instanceof MappingUnknown) || error.skeleton === undefined) throw error;
    const schema = await provideSchema(directory, schemaText(), force);
    const draft = draftSkeleton({ ...facts, schema, skeleton: error.skeleton });
    await writeNewFile(file, name, draft, force);
    const advice = `Fill in the empty targets of ${name}, which was written with the others.`;
    throw new MappingUnknown(error.reason, error.skeleton, advice);
  });
  const schema = await provideSchema(directory, schemaText(), force);
  await writeNewFile(file, name, draftConfiguration({ ...facts, survey, schema }), force);
  const next = ["validate", ...(configPath === undefined ? [] : ["--config", name])];
  return { survey, written: { file: name, schema, next } };
}

/** Returns an input relative to the directory of the file. */
function inputIn(directory: string, currentDirectory: string, input: string): string {
  if (path.isAbsolute(input) || directory === currentDirectory) return input;
  return plainPath(directory, path.resolve(currentDirectory, input));
}

function plainPath(directory: string, file: string): string {
  return relativePath(directory, file).replace(/^\.\/(?=.)/, "");
}

function interruptionOr(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof SwitchyardError || !signal.aborted) return error;
  return new SwitchyardError("interrupted", "Interrupted; nothing was written.", {
    exitCode: exitCodes.interrupted,
  });
}
