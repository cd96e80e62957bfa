import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { OutputPlace } from "../output/output-place.js";
import type { Target } from "../target/target.js";
import type { Announcement } from "../target/target-rules.js";
import { defaultTarget, loadTarget } from "../target/targets.js";
import type { ReadyCall } from "../webhook/ready-call.js";
import type { Configuration } from "./configuration.js";
import { requireExport, valuesOf } from "./run-options.js";
import { requireSecret } from "./send-options.js";

/** The options of `ready`. */
export interface ReadyRequest {
  readonly place: OutputPlace;
  readonly target: Target;
  readonly by: Announcement;
  /** Set if days are announced by a file. */
  readonly marker?: { readonly directory: string; readonly column: string };
  /** Set if days are announced by calls. */
  readonly call?: ReadyCall;
  /** The most events that the target may load again. */
  readonly maxReload?: number;
  readonly isDryRun: boolean;
}

/** Throws `UsageError` if no export is named, or the target does not take such announcements. */
export function resolveReady(configuration: Configuration): ReadyRequest {
  const values = valuesOf(configuration);
  const target = loadTarget(values.target ?? defaultTarget);
  const { marker, call } = target.ready ?? {};
  const { announce: by, maxReload, dryRun } = values;
  const rules = by === "file" ? marker : call;
  if (rules === undefined) {
    const other = by === "file" ? call && "call" : marker && "file";
    const advice =
      other === undefined
        ? `pass ${option("target")} statsig, or leave the step out`
        : `pass ${option("announce")} ${other}`;
    throw new UsageError(
      "ready_useless",
      `The target ${target.name} is not told of finished days by a ${by}: ${advice}.`,
    );
  }
  return {
    place: requireExport(configuration, "announce"),
    target,
    by,
    isDryRun: dryRun,
    ...(by === "file" ? omitUndefined({ marker }) : {}),
    ...(by === "call" && call !== undefined ? { call: callOf(configuration, call) } : {}),
    ...omitUndefined({ maxReload }),
  };
}

function callOf(
  configuration: Configuration,
  { url, authHeader, day, body, secondsApart }: NonNullable<NonNullable<Target["ready"]>["call"]>,
): ReadyCall {
  return {
    url,
    authHeader: configuration.values.authHeader ?? authHeader,
    secret: requireSecret(configuration),
    day,
    body,
    secondsApart,
    timeoutMs: valuesOf(configuration).timeout * 1_000,
  };
}
