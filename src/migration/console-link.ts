import type { CommandContext, OutputForm } from "../commands/context.js";
import type { MigrationService } from "./migration-service.js";

/** The console that shows a migration: the one of its own service. */
export interface MigrationConsole {
  /** Identifies the migration; undefined if it has no journal. */
  readonly id: string | undefined;
  readonly service: NonNullable<MigrationService["console"]>;
}

/** Prints where to watch a migration, and opens it in a browser if that was asked for. */
export async function showConsole(
  console: MigrationConsole,
  opens: boolean,
  { json, quiet }: OutputForm,
  { stderr, environment }: CommandContext,
): Promise<void> {
  const isPrinted = !json && !quiet;
  if (isPrinted) stderr.write(`Watch it: ${linkOf(console)}\n`);
  if (!opens) return;
  const { openBrowser } = await import("../base/open-browser.js");
  // A link works once: the printed one is for another browser.
  openBrowser(linkOf(console), environment, (reason) => {
    if (isPrinted)
      stderr.write(`The browser was not opened (${reason}). Open the link yourself.\n`);
  });
}

/** Waits for the first signal, so that the result can be looked at. */
export async function keepConsole(
  console: MigrationConsole,
  { json, quiet }: OutputForm,
  { stderr, signal }: CommandContext,
): Promise<void> {
  if (signal.aborted) return;
  if (!json && !quiet)
    stderr.write(`\nThe console runs until you press Ctrl-C: ${linkOf(console)}\n`);
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function linkOf({ id, service }: MigrationConsole): string {
  return service.signInUrl(id === undefined ? "/migrations" : `/migrations/${id}`);
}
