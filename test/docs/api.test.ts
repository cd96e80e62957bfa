import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../src/contract/routes.js";
import { heldJournals, journal } from "../support/journal.js";
import { watchOutput } from "../support/secret-watch.js";
import { startTestService, type TestService } from "../support/service.js";
import { differences, readApiExamples } from "./api-examples.js";

const examples = readApiExamples();

describe.skipIf(!isInstalled("curl"))("docs/api.md", () => {
  let service: TestService;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    service = await startTestService({ journals: heldJournals(journal) });
    const address = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
    environment = {
      ...process.env,
      BASE: address,
      SWITCHYARD_CONSOLE_KEY: service.keys.console,
      SWITCHYARD_SERVER_SECRET: service.keys.server,
      SWITCHYARD_CLIENT_KEY: service.keys.client,
    };
  });

  afterAll(() => service.close());

  // In the page's order: each example builds on those before it.
  it.each(examples)("shows in line $line what is answered", async ({ command, answer }) => {
    const output = await runShell(command, environment);
    expect(differences(answer, JSON.parse(output))).toEqual([]);
  });
});

it("docs/api.md lists every endpoint in its coverage table, and none that does not exist", () => {
  const listed = tableRows("## Coverage").map(
    ([method, path, origin]) => `${method} ${path}: ${origin}`,
  );
  const known = Object.values(routes).map(
    ({ method, path, origin }) => `${method} ${path}: ${origin}`,
  );
  expect(listed.sort()).toEqual(known.sort());
});

it("docs/api.md shows a call of every endpoint", () => {
  const commands = examples.map(({ command }) => command);
  const missing = Object.values(routes)
    .filter(({ method, path }) => !commands.some((command) => isCallOf(command, method, path)))
    .map(({ method, path }) => `${method} ${path}`);
  expect(missing).toEqual([]);
});

function isCallOf(command: string, method: string, path: string): boolean {
  const url = /\$BASE(\/[^\s"?]*)/.exec(command)?.[1] ?? "";
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  const given = /-X (\w+)/.exec(command)?.[1] ?? (/ -d /.test(command) ? "POST" : "GET");
  return given === method && pattern.test(url);
}

/** Cells of the first table under a heading, without its head and without code marks. */
function tableRows(heading: string): string[][] {
  const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const section = text.split(`\n${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

function runShell(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    watchOutput(command, () => `${stdout}\n${stderr}`);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`exit code ${code}: ${command}\n${stderr}`));
    });
  });
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn(`${program} is not installed: the examples of docs/api.md are not run`);
    return false;
  }
}
