import { formatCount } from "../base/format-count.js";
import type { ListedCheck } from "../engine/check-listed.js";
import type { InspectedInputs } from "../engine/inspect-inputs.js";
import { formatBytes, formatNumberOf } from "../report/quantities.js";
import { harmless } from "../report/terminal-text.js";
import { type Check, failed, ok, warning } from "./check.js";

/** Inputs that are opened; the others are only listed. */
export const INPUTS_OPENED_MAX = 200;

/** Faulty inputs that are shown. */
const FAILURES_SHOWN = 5;

/** Describes inputs that were inspected: the sum, and each that cannot be read. */
export function describeInputs({
  files,
  opened,
  found,
  plainBytes,
  compressedBytes,
}: InspectedInputs): readonly Check[] {
  const { sources, failures, leftOut } = found;
  const bytes = formatBytes(plainBytes + compressedBytes);
  const about = opened < files ? "about " : "";
  const read = opened < files ? `; opened ${formatCount(opened)} of them` : "";
  const text = `${formatNumberOf(files, "file")}, ${about}${bytes}${read}`;
  const left =
    leftOut.length === 0
      ? ""
      : `, ${formatNumberOf(leftOut.length, "file")} without events left out`;
  const kinds = [...new Set(sources.map(({ format }) => format.kind))].join(", ");
  const isEmpty = sources.length === 0 && failures.length === 0;
  const summary = isEmpty
    ? warning("inputs", `${text}: no file holds rows${left}; name other inputs`)
    : ok("inputs", `${text}: ${kinds || "none can be read"}${left}`);
  const shown = failures
    .slice(0, FAILURES_SHOWN)
    .map(({ code, message }): Check => ({ name: "input", state: "failed", message, code }));
  const more = failures.length - shown.length;
  if (more === 0) return [summary, ...shown];
  const names = failures
    .slice(FAILURES_SHOWN, FAILURES_SHOWN + 3)
    .map(({ name }) => harmless(name));
  const message = `${more} more cannot be read, such as ${names.join(", ")}`;
  return [summary, ...shown, { name: "input", state: "failed", message }];
}

/** Describes the comparison of inputs with manifests and checksum files; nothing without any. */
export function describeListed(check: ListedCheck | undefined): readonly Check[] {
  if (check === undefined) return [];
  const { lists, files, digests, counts, faults } = check;
  const compared = [
    ...(digests.of === 0 ? [] : [`digests of ${share(digests)}`]),
    ...(counts.of === 0 ? [] : [`rows of ${share(counts)}`]),
  ];
  const more = compared.length === 0 ? "" : `, ${compared.join(", ")}`;
  const text = `${formatNumberOf(lists, "manifest or checksum file")} with ${formatNumberOf(files, "file")}; compared names and sizes${more}`;
  if (faults.length === 0) return [ok("lists", text)];
  const shown = faults.slice(0, FAILURES_SHOWN).map((fault) => failed("list", fault));
  const rest = faults.length - shown.length;
  const others = `${text}; ${rest} more files are not as listed`;
  return [
    ...shown,
    rest > 0 ? { name: "list", state: "failed", message: others } : ok("lists", text),
  ];
}

function share({ checked, of }: ListedCheck["digests"]): string {
  return checked === of
    ? formatNumberOf(of, "file")
    : `${formatCount(checked)} of ${formatNumberOf(of, "file")}`;
}
