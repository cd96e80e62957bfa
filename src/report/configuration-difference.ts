import type { ConfigurationChange } from "../pipeline/configuration-edit.js";
import { configurationLine } from "./findings/fix.js";
import { harmless } from "./terminal-text.js";

/** A change of a configuration as the lines that go and come. Text from data is made harmless. */
export function describeChange({ path, before, after }: ConfigurationChange): readonly string[] {
  const lineOf = (value: unknown) => harmless(configurationLine(path, value));
  return [...(before === undefined ? [] : [`  - ${lineOf(before)}`]), `  + ${lineOf(after)}`];
}
