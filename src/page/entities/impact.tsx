import { formatCount } from "../../base/format-count.js";
import type { Impact as Found, ImpactSide } from "../../contract/what-if.js";
import { formatSmallShare } from "../../report/quantities.js";
import { ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Draft } from "../editing/draft.js";
import type { Kind } from "../editing/kinds.js";

const assess = {
  gates: api.assessGateChange,
  configs: api.assessDynamicConfigChange,
} as const;

/** How many recent users would get another answer if the edits were saved. */
export function Impact({ kind, draft }: { kind: Kind; draft: Draft }) {
  const { stored, edits } = draft;
  const call = assess[kind.root as keyof typeof assess];
  const isAsked =
    call !== undefined &&
    ("rules" in edits || "isEnabled" in edits || "defaultValueJson5" in edits);
  const { value, error, reload } = useLoad(
    JSON.stringify([stored.id, stored.version, isAsked && edits]),
    async (signal) =>
      isAsked ? (await call({ id: stored.id, body: { proposed: edits }, signal })).data : null,
  );
  if (!isAsked) return null;
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={2} />;
  if (value === null) {
    return <p class="soft">No user is known from events, so the effect cannot be estimated.</p>;
  }
  return <Shown impact={value} isGate={kind.root === "gates"} />;
}

function Shown({ impact, isGate }: { impact: NonNullable<Found>; isGate: boolean }) {
  const { users, changed, examples } = impact;
  return (
    <>
      <p>
        <strong>
          {changed === 0
            ? `None of the ${formatCount(users)} most recent users would get another answer.`
            : `${formatCount(changed)} of the ${formatCount(users)} most recent users (${formatSmallShare(changed / users)}) would get another answer.`}
        </strong>
      </p>
      {examples.length > 0 && (
        <ul class="ranking scrolled">
          {examples.map(({ user, before, after }, index) => (
            <li key={index}>
              <code>{String(user["userID"] ?? JSON.stringify(user))}</code>
              <span>
                {sideText(before, isGate)} → {sideText(after, isGate)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function sideText({ passes, value }: ImpactSide, isGate: boolean): string {
  if (isGate) return passes ? "on" : "off";
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}

const VALUE_CHARACTERS_MAX = 200;
