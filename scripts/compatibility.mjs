// npm run compatibility: runs clients that others have written against the built service, unchanged but for
// the address that they have built in, and writes what works to docs/compatibility.md.
// Needs: npm install --no-save @statsig/siggy
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const keys = {
  SWITCHYARD_CONSOLE_KEY: `console-${"k".repeat(43)}`,
  SWITCHYARD_SERVER_SECRET: `secret-${"s".repeat(43)}`,
  SWITCHYARD_CLIENT_KEY: `client-${"c".repeat(43)}`,
};
const user = JSON.stringify({ userID: "u1" });
const rule = { name: "all", passPercentage: 100, conditions: [{ type: "public" }] };
const groups = ["A", "B"].map((name) => ({ name, id: name, size: 50, parameterValues: { name } }));

/** Commands of siggy in an order in which each finds what it needs. */
const commands = [
  ["gates", "create", "new_gate"],
  ["gates", "get", "new_gate"],
  ["gates", "list"],
  ["gates", "update", "new_gate", JSON.stringify({ rules: [rule] })],
  ["gates", "check", "new_gate", "-u", user],
  ["gates", "delete", "new_gate", "-f"],
  ["dyncon", "create", "new_config"],
  ["dyncon", "get", "new_config"],
  ["dyncon", "list"],
  ["dyncon", "update", "new_config", JSON.stringify({ defaultValue: { a: 1 } })],
  ["dyncon", "get-value", "new_config", "-u", user],
  ["dyncon", "delete", "new_config", "-f"],
  ["segments", "create", "new_segment"],
  ["segments", "list"],
  ["experiments", "create", "new_experiment"],
  ["experiments", "get", "new_experiment"],
  ["experiments", "list"],
  ["experiments", "update", "new_experiment", JSON.stringify({ groups })],
  ["experiments", "start", "new_experiment"],
  ["experiments", "get-value", "new_experiment", "-u", user],
  ["experiments", "reset", "new_experiment"],
  ["experiments", "start", "new_experiment"],
  ["experiments", "ship", "new_experiment", JSON.stringify({ id: "A", decisionReason: "better" })],
  ["experiments", "delete", "new_experiment", "-f"],
];

const directory = mkdtempSync(join(tmpdir(), "switchyard-clients-"));
const service = spawn(
  process.execPath,
  `dist/switchyard.js serve --listen 0 --auth-header STATSIG-API-KEY --log-level warn --json --data ${join(directory, "data")}`.split(
    " ",
  ),
  { env: { ...process.env, ...keys }, stdio: ["ignore", "pipe", "inherit"] },
);
try {
  const url = await new Promise((ready) => {
    service.stdout.once("data", (line) => ready(JSON.parse(line).url));
  });
  const rows = await runSiggy(url);
  const page = resolve("docs/compatibility.md");
  const [before] = readFileSync(page, "utf8").split("<!-- siggy -->");
  writeFileSync(page, `${before}<!-- siggy -->\n\n${rows.join("\n")}\n`);
} finally {
  service.kill();
  rmSync(directory, { recursive: true, force: true });
}

async function runSiggy(url) {
  writeFileSync(join(directory, "redirect.mjs"), redirectTo(url));
  writeFileSync(
    join(directory, ".netrc"),
    `machine statsig.com\n  consolekey ${keys.SWITCHYARD_CONSOLE_KEY}\n  clientkey ${keys.SWITCHYARD_CLIENT_KEY}\n`,
  );
  const rows = ["| command | result |", "|---|---|"];
  for (const command of commands) {
    const output = await run(command, { ...process.env, HOME: directory });
    const works = /^[[{]|deleted successfully/.test(output.trim());
    const result = works ? "works" : output.replace(/\s+/g, " ").trim();
    rows.push(`| \`siggy ${command.join(" ")}\` | ${result} |`);
  }
  return rows;
}

function run(command, env) {
  const program = "node_modules/@statsig/siggy/dist/app.js";
  const words = ["--import", join(directory, "redirect.mjs"), program, ...command];
  return new Promise((done) => {
    execFile(process.execPath, words, { env }, (_, stdout, stderr) => done(stdout + stderr));
  });
}

/** siggy has its address built in. */
function redirectTo(url) {
  return `const original = globalThis.fetch;
globalThis.fetch = (address, options) =>
  original(String(address).replace("https://statsigapi.net", ${JSON.stringify(url)}), options);
`;
}
