import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// A dependency of the API reference, which `npm ci` installs.
import { parseAllDocuments } from "yaml";
import { exitCodes } from "../../src/base/errors.js";
import { scratchDirectory } from "../support/scratch.js";

const text = readFileSync(new URL("../../docs/scheduling.md", import.meta.url), "utf8");

/** Returns the text of the code block of a language. */
function blockOf(language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "s").exec(text) ?? [];
  if (block === undefined) throw new Error(`no block of ${language}`);
  return block;
}

test("the table of exit codes has every code of the command line", () => {
  const codes = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(exitCodes));
});

test("the crontab has five fields and a command that takes an active run for no failure", () => {
  const [line = ""] = blockOf("crontab").split("\n").slice(-1);
  const [, fields = "", command = ""] = /^((?:\S+ ){5})(.*)$/.exec(line) ?? [];
  expect(fields).toMatch(/^\d+ \* \* \* \* $/);
  // cron takes a percent sign for the end of the command.
  expect(command).not.toContain("%");
  const directory = scratchDirectory("crontab");
  writeFileSync(join(directory, "secrets.env"), "export SECRET=1\n");
  const inHere = command.replace("/srv/migration", directory);
  for (const [code, expected] of [
    [0, 0],
    [4, 0],
    [1, 1],
    [3, 1],
  ] as const) {
    const script = `switchyard() { test "$SECRET" = 1 && return ${code}; }\n${inHere}`;
    expect(spawnSync("/bin/sh", ["-c", script]).status).toBe(expected);
  }
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)("systemd takes the service and the timer", () => {
  const directory = scratchDirectory("systemd");
  const service = blockOf("systemd-service").replace("/usr/bin/switchyard", process.execPath);
  writeFileSync(join(directory, "switchyard.service"), service);
  writeFileSync(join(directory, "switchyard.timer"), blockOf("systemd-timer"));
  const files = ["switchyard.service", "switchyard.timer"].map((name) => join(directory, name));
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...files]);
  const complaints = stderr
    .toString()
    .split("\n")
    .filter((one) => one.includes(directory));
  expect(complaints).toEqual([]);
});

test("the CronJob is YAML that runs one migration at a time, and gives up only on what stays wrong", () => {
  const documents = parseAllDocuments(blockOf("yaml"));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const [claim, job] = documents.map((one): unknown => one.toJS());
  expect(claim).toMatchObject({ kind: "PersistentVolumeClaim", metadata: { name: "switchyard" } });
  const onExitCodes = {
    operator: "In",
    values: [exitCodes.usage, exitCodes.tooManyRejects, exitCodes.busy],
  };
  expect(job).toMatchObject({
    apiVersion: "batch/v1",
    kind: "CronJob",
    spec: {
      concurrencyPolicy: "Forbid",
      jobTemplate: {
        spec: {
          podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes }] },
          template: {
            spec: {
              restartPolicy: "Never",
              containers: [{ args: ["migrate", "--quiet"] }],
              volumes: [{ persistentVolumeClaim: { claimName: "switchyard" } }, {}],
            },
          },
        },
      },
    },
  });
});
