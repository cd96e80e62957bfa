import path from "node:path";
import { shellWord } from "../report/terminal-text.js";

const NAME = "switchyard";

/** The properties of `process` that show how the program was started. */
interface ProgramCall {
  readonly script: string;
  readonly currentDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the command that starts the program from the current directory: by its name if it is
 * installed globally, through npx in a clone or a project, otherwise by the path of the script.
 */
export function programName({ script, currentDirectory, environment }: ProgramCall): string {
  if (environment["npm_command"] === "exec") return `npx ${NAME}`;
  const [, project] = /^(.*)[\\/]node_modules[\\/]/.exec(script) ?? [];
  const isScript = path.basename(script) === `${NAME}.js`;
  if (project === undefined && !isScript) return NAME;
  const root = project ?? path.dirname(path.dirname(script));
  const isInside = !path.relative(root, currentDirectory).startsWith("..");
  if (isInside) return `npx ${NAME}`;
  return project === undefined
    ? `node ${shellWord(path.relative(currentDirectory, script))}`
    : NAME;
}
