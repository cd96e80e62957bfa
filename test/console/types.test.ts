import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const sources = new Map<string, ts.SourceFile | undefined>();
const { getSourceFile } = ts.createCompilerHost({});

/** Parses the declarations of libraries once for all programs. */
function parsed(path: string, language: ts.ScriptTarget | ts.CreateSourceFileOptions) {
  const key = JSON.stringify([path, language]);
  if (!sources.has(key)) sources.set(key, getSourceFile(path, language));
  return sources.get(key);
}

/** Checks a program that lies in this repository, where the package finds itself by its name. */
function check(name: string, text: string, options: ts.CompilerOptions) {
  const file = `${root}test/console/${name}`;
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.getSourceFile = (path, language) =>
    path === file
      ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022)
      : parsed(path, language);
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? text : readFile(path));
  const program = ts.createProgram([file], { noEmit: true, skipLibCheck: !isCi, ...options }, host);
  const faults = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  return { faults, instantiations: program.getInstantiationCount() };
}

const user = `
import { ConsoleError, createConsoleClient } from "switchyard/console";
const client = createConsoleClient({ baseUrl: "http://localhost", key: "console-x" });
const { data, etag } = await client.patchGate({ id: "a", body: { tags: ["q3"] }, ifMatch: "3" });
const version: number = data.version;
const tag: string | undefined = etag;
for await (const gate of client.all("listGates", { limit: 10 })) gate.name.trim();
for await (const { groups } of client.all("listExperiments")) groups[0]?.id.trim();
await client.listGates();
try {
  // @ts-expect-error A gate has no such field.
  await client.createGate({ body: { name: "A gate", isEnable: true } });
  // @ts-expect-error It is not a list.
  client.all("readGate");
} catch (error) {
  if (error instanceof ConsoleError) error.errors[0]?.property.trim();
}
console.log(version, tag);
export {};
`;

const common = { target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"] };
const nodeNext = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};
const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };

const programs = [
  ["nodenext, strict", { ...nodeNext, strict: true }],
  ["bundler, not strict", { ...bundler, strict: false }],
] as const;

test.each(someOf(programs, 2))("a program with %s compiles against plain types", (_, options) => {
  const { faults, instantiations } = check("user.mts", user, {
    ...common,
    ...options,
    types: [],
  });
  expect(faults).toEqual([]);
  expect(instantiations).toBeLessThan(5_000);
});

longTest("the plain types equal those that the contract computes", () => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const text = `
    import type { ConsoleClient as Plain } from "../../dist/types/console/client.js";
    import type { ConsoleClient as Computed } from "../../src/console/client.js";
    type Operations<Client> = Omit<Client, "all">;
    declare const plain: Operations<Plain>;
    declare const computed: Operations<Computed>;
    export const fromPlain: Operations<Computed> = plain;
    export const fromComputed: Operations<Plain> = computed;
  `;
  expect(check("both.mts", text, options).faults).toEqual([]);
});
