import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type CommandOptions, type CommandResult, collectOutput } from "./command-line.js";
import { startPackageRegistry } from "./package-registry.js";
import { ofThisRun, scratchDirectory } from "./scratch.js";
import { watchOutput } from "./secret-watch.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Programs of Node to run the installed package with: this one, and those of the variable. */
export const nodes = [
  process.execPath,
  ...(process.env["SWITCHYARD_TEST_NODES"] ?? "").split(delimiter).filter((path) => path !== ""),
];

/** Switchyard as npm installs it from its tarball, out of reach of the checkout and its node_modules. */
export class Installation {
  /** `directory` has the tarball, its node_modules, and an empty home. */
  constructor(readonly directory: string) {}

  get package(): string {
    return join(this.directory, "project/node_modules/switchyard");
  }

  /** The link that npm makes for the command. */
  get command(): string {
    return join(this.directory, "project/node_modules/.bin/switchyard");
  }

  get tarball(): string {
    return join(this.directory, "switchyard.tgz");
  }

  /** The environment of a user who has just logged in. */
  environment(node = process.execPath): NodeJS.ProcessEnv {
    return {
      PATH: [dirname(node), process.env["PATH"]].join(delimiter),
      HOME: join(this.directory, "home"),
      ...(process.env["TMPDIR"] === undefined ? {} : { TMPDIR: process.env["TMPDIR"] }),
    };
  }

  /** Runs the command of the package. */
  run(
    args: readonly string[],
    { node = process.execPath, env, ...options }: CommandOptions & { readonly node?: string } = {},
  ): Promise<CommandResult> {
    return collectOutput(
      spawn(node, [this.command, ...args], {
        cwd: options.cwd,
        env: { ...this.environment(node), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      }),
      args,
      options.started,
    );
  }

  /** Runs npm, by default with the registry of this machine; returns its standard output. */
  async npm(args: readonly string[], cwd: string, registry?: string): Promise<string> {
    const ofRegistry =
      registry === undefined ? registrySettings() : { npm_config_registry: registry };
    const env = {
      ...this.environment(),
      npm_config_loglevel: "error",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      ...ofRegistry,
    };
    const { stdout, stderr } = await promisify(execFile)("npm", [...args], { cwd, env });
    watchOutput(`npm ${args.join(" ")}`, () => stdout + stderr);
    return stdout;
  }
}

/** Variables that say where packages are; others are those of the npm that runs the tests. */
function registrySettings(): NodeJS.ProcessEnv {
  const names = /^(?:home|npm_config_(?:registry|cache|userconfig|cafile|.*proxy)|.*_proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)));
}

/** Packs and installs the package, once for all test files of a run. */
export async function installedPackage(): Promise<Installation> {
  // Every command runs from a path with a blank.
  const shared = join(process.env[ofThisRun] ?? tmpdir(), "an installation");
  if (!existsSync(shared)) {
    const own = join(scratchDirectory("installing"), "package");
    await install(new Installation(own));
    await rename(own, shared).catch((error: unknown) => {
      // Another file was faster.
      if (!existsSync(shared)) throw error;
    });
  }
  return new Installation(shared);
}

async function install(installation: Installation): Promise<void> {
  const { directory } = installation;
  const project = join(directory, "project");
  await mkdir(join(directory, "home"), { recursive: true });
  await mkdir(project);
  await writeFile(join(project, "package.json"), "{}");
  const registry = await startPackageRegistry();
  try {
    // The scripts would build what other tests are using.
    const words = ["pack", "--ignore-scripts", "--pack-destination", directory];
    await installation.npm(words, repository);
    const [tarball = ""] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
    await rename(join(directory, tarball), installation.tarball);
    await installation.npm(
      ["install", `../${basename(installation.tarball)}`],
      project,
      registry.url,
    );
  } finally {
    await registry.stop();
  }
}
