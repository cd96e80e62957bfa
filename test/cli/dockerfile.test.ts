import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { collectOutput } from "../support/command-line.js";
import { nodes } from "../support/installed-package.js";
import { longTest } from "../support/long-test.js";
import { writePatternRows } from "../support/packed-inputs.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

killServicesAfterEach();

/** What a stage has at its end. */
interface Stage {
  /** Directory that is its file system; programs are those of this machine. */
  readonly root: string;
  readonly commands: ReadonlyMap<string, readonly string[]>;
}

/** Follows a Dockerfile without Docker: `COPY` and `RUN` with absolute paths below directories of their own. */
async function buildStages(text: string, directory: string): Promise<readonly Stage[]> {
  const stages: Stage[] = [];
  const named = new Map<string, Stage>();
  let commands = new Map<string, readonly string[]>();
  let root = "";
  let cwd = "/";
  const steps: Readonly<Record<string, (value: string) => Promise<unknown>>> = {
    async FROM(value) {
      const [image = "", , name = `stage ${stages.length}`] = value.split(" ");
      root = join(directory, name);
      const base = named.get(image);
      commands = new Map(base?.commands);
      await mkdir(root, { recursive: true });
      if (base !== undefined)
        await cp(base.root, root, { recursive: true, verbatimSymlinks: true });
      const stage = { root, commands };
      stages.push(stage);
      named.set(name, stage);
    },
    WORKDIR: (value) => {
      cwd = value;
      return mkdir(join(root, cwd), { recursive: true });
    },
    async COPY(value) {
      const [, from, files = ""] = /^(?:--from=(\S+) )?(.*)$/.exec(value) ?? [];
      const paths = files.split(" ");
      const target = join(root, cwd, paths.pop() ?? "");
      if (from === undefined) return copyCheckout(target);
      for (const path of paths) {
        const source = join(named.get(from)?.root ?? "", path);
        const into = target.endsWith("/") ? join(target, path.split("/").pop() ?? "") : target;
        await cp(source, into, { recursive: true, verbatimSymlinks: true });
      }
    },
    async RUN(value) {
      const script = value
        .replaceAll(/(?<=\s)\/(?=opt|usr|data)/g, `${root}/`)
        .replace("-o node -g node ", "");
      await mkdir(join(root, "usr/local/bin"), { recursive: true });
      const PATH = `${dirname(nodes.at(-1) ?? "")}:${process.env["PATH"]}`;
      await run("sh", ["-ec", script], { cwd: join(root, cwd), env: { ...process.env, PATH } });
    },
  };
  for (const [, name = "", value = ""] of instructionsOf(text)) {
    const step = steps[name];
    if (step !== undefined) await step(value);
    else if (/^(?:ENTRYPOINT|CMD)$/.test(name)) commands.set(name, JSON.parse(value));
    else expect(["USER", "VOLUME", "EXPOSE", "HEALTHCHECK"]).toContain(name);
  }
  return stages;
}

function instructionsOf(text: string): Iterable<RegExpMatchArray> {
  return text
    .replaceAll("\\\n", " ")
    .replaceAll(/^#.*\n/gm, "")
    .matchAll(/^([A-Z]+) +(.*)$/gm);
}

/** Copies what a fresh clone has. */
async function copyCheckout(target: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z", "-c", "-o", "--exclude-standard"], {
    cwd: repository,
    maxBuffer: 2 ** 26,
  });
  const ignored = (await readFile(join(repository, ".dockerignore"), "utf8")).trim().split("\n");
  for (const path of stdout.split("\0")) {
    const isIgnored = ignored.some((name) => `${path}/`.startsWith(`${name}/`));
    if (path === "" || isIgnored) continue;
    await cp(join(repository, path), join(target, path), { recursive: true });
  }
}

longTest("the images of the Dockerfile run their commands", { timeout: 600_000 }, async () => {
  const directory = scratchDirectory("image");
  const text = await readFile(join(repository, "Dockerfile"), "utf8");
  const stages = await buildStages(text, directory);
  // The last one is what is built without --target.
  const image = stages.at(-1);
  if (image === undefined) throw new Error("no stage");
  const program = join(image.root, "usr/local/bin", image.commands.get("ENTRYPOINT")?.[0] ?? "");
  const data = join(image.root, "data");
  writePatternRows(join(data, "rows.jsonl"));
  const timestamp = { field: "event_time", format: "dd.MM.yyyy HH:mm", zone: "Asia/Kolkata" };
  await writeFile(join(data, "pipeline.config.json"), JSON.stringify({ mapping: { timestamp } }));
  const node = nodes.at(-1) ?? "";
  for (const args of [
    ["validate", "rows.jsonl"],
    ["export", "rows.jsonl", "--to", "out", "--format", "arrow"],
  ]) {
    const child = spawn(node, [program, ...args], {
      cwd: data,
      env: { HOME: data },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await collectOutput(child, args)).toMatchObject({ exitCode: 0 });
  }
  const service = stages.find(({ commands }) => commands.get("CMD")?.[0] === "serve");
  expect(service?.commands.get("CMD")).toContain("0.0.0.0:8080");
  const started = await startServiceProcess(join(data, "service"), { command: [node, program] });
  expect(await started.call("/healthz")).toMatchObject({ status: 200 });
  expect(await started.stop()).toBe(0);
});
