import type { ConfigurationChange } from "../pipeline/configuration/configuration-edit.js";
import { configurationLine } from "./findings/configuration-fixes.js";
import { formatNumberOf } from "./quantities.js";
import { line } from "./run-summary.js";
import { harmless } from "./terminal-text.js";

/** A change of a configuration as the lines that go and come. Text from data is made harmless. */
export function describeChange({ path, before, after }: ConfigurationChange): readonly string[] {
  const lineOf = (value: unknown) => harmless(configurationLine(path, value));
  return [...(before === undefined ? [] : [`  - ${lineOf(before)}`]), `  + ${lineOf(after)}`];
}

/** What was put into a configuration; nothing where nothing was asked for. */
export function describeApplied(
  applied: { readonly file: string; readonly changes: readonly ConfigurationChange[] } | undefined,
): readonly string[] {
  if (applied === undefined) return [];
  const { file, changes } = applied;
  return [
    changes.length === 0
      ? line("applied", "nothing: no safe fix is missing")
      : line(
          "applied",
          `${formatNumberOf(changes.length, "line")} of ${harmless(file)}, shown above`,
        ),
  ];
}
