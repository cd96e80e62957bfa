import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Answer, TriedRule } from "../../contract/what-if.js";
import { Badge, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Draft } from "../editing/draft.js";
import { parsedObject } from "../editing/json-object.js";
import type { Kind } from "../editing/kinds.js";
import { operatorWords } from "../editing/sentences.js";
import { ValueEditor } from "../editing/value-editor.js";

/** Kinds that can be asked. */
const asks = {
  gates: api.evaluateGate,
  configs: api.evaluateDynamicConfig,
  experiments: api.evaluateExperiment,
} as const;

/** Returns true for a kind whose answer for a user can be asked. */
export function canTry({ root }: Kind): boolean {
  return root in asks;
}

const FIRST_USER = '{\n  "userID": "u1",\n  "email": "anna@example.com",\n  "country": "DE"\n}';

/** Asks for one user, also about changes that are not saved. The user stands in the address. */
export function TryIt({ kind, draft }: { kind: Kind; draft: Draft }) {
  const { query, path, route } = useLocation();
  const asked = query["user"] ?? "";
  const place = query["environment"] ?? "";
  const [text, setText] = useState(asked === "" ? FIRST_USER : asked);
  const [environment, setEnvironment] = useState(place);
  const user = parsedObject(text);
  const ask = () => {
    const all = { user: JSON.stringify(user), ...(environment !== "" && { environment }) };
    route(`${path}?${new URLSearchParams(all)}`);
  };
  return (
    <>
      <Section title="A user">
        {draft.isEdited && kind.root !== "experiments" && (
          <p class="soft">
            The answer takes your changes into account, although they are not saved.
          </p>
        )}
        <ValueEditor
          label="What is known of the user"
          value={text}
          hint="JSON: userID, email, country, ip, userAgent, appVersion, locale, custom, customIDs."
          fault={user === undefined ? "Must be an object in JSON" : undefined}
          onInput={setText}
        />
        <TextField
          label="Environment"
          value={environment}
          placeholder="production"
          onInput={setEnvironment}
        />
        <div class="buttons">
          <button type="button" class="primary" disabled={user === undefined} onClick={ask}>
            Try it
          </button>
        </div>
      </Section>
      {/* It is there before its answer, or screen readers would not hear the first. */}
      <div aria-live="polite">
        {asked !== "" && (
          <AnswerFor
            kind={kind}
            draft={draft}
            user={parsedObject(asked) ?? {}}
            environment={place}
          />
        )}
      </div>
    </>
  );
}

type User = Readonly<Record<string, unknown>>;

interface AnswerForProps {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly user: User;
  readonly environment: string;
}

function AnswerFor({ kind, draft, user, environment }: AnswerForProps) {
  const { id, version } = draft.stored;
  const proposed = kind.root === "experiments" ? {} : draft.edits;
  const key = JSON.stringify([id, version, user, environment, proposed]);
  const { value, error, reload } = useLoad(key, (signal) => {
    const body = {
      user,
      ...(environment !== "" && { environment }),
      ...(Object.keys(proposed).length > 0 && { proposed }),
    };
    return asks[kind.root as keyof typeof asks]({ id, body, signal });
  });
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={5} />;
  return <Shown answer={value.data} isGate={kind.root === "gates"} />;
}

function Shown({ answer, isGate }: { answer: Answer; isGate: boolean }) {
  const { passes, value, rules, isEnabled, reason } = answer;
  return (
    <Section title="The answer">
      <p class="answer">
        {isGate ? (
          <Badge tone={passes ? "good" : "off"}>{passes ? "on" : "off"}</Badge>
        ) : (
          <code>{JSON.stringify(value)}</code>
        )}{" "}
        {whyText(answer)}
      </p>
      {reason === "ERROR" && (
        <p class="notice">A condition is not one that SDKs know: they answer the default.</p>
      )}
      {isEnabled && rules.length > 0 && (
        <ol class="tried-rules">
          {rules.map((rule) => (
            <Tried key={rule.id} rule={rule} isDeciding={rule.id === answer.ruleID} />
          ))}
        </ol>
      )}
    </Section>
  );
}

/** Why the answer is what it is, in a sentence. */
function whyText({ isEnabled, ruleName, group, rules, ruleID, reason }: Answer): string {
  if (!isEnabled) return "because it is off: no rule is looked at.";
  const rule = rules.find(({ id }) => id === ruleID);
  const name = group ?? ruleName ?? rule?.name;
  if (name === undefined || name === null) {
    return reason === "DEFAULT" || rule === undefined
      ? "because no rule matches this user."
      : "by its own rule.";
  }
  const percentage = rule?.percentage ?? null;
  if (percentage === null || percentage.bucket === null) return `because of “${name}”.`;
  const share = (percentage.limit / 100).toFixed(0);
  const place = (percentage.bucket / 100).toFixed(2);
  return `because of “${name}”: this user is at ${place} % of 100, and ${share} % pass.`;
}

function Tried({ rule, isDeciding }: { rule: TriedRule; isDeciding: boolean }) {
  const { name, kind, tried, holds, conditions } = rule;
  const state = !tried ? "not looked at" : holds === true ? "matches" : "does not match";
  return (
    <li class={isDeciding ? "rule rule-deciding" : "rule"}>
      <h3>
        {name === "" ? kind : name} <small>{state}</small>
      </h3>
      <ul>
        {conditions.map((condition, index) => (
          <li key={index} class={condition.holds ? "condition-holds" : "condition-fails"}>
            {conditionText(condition)}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** `country is DE, AT: yes, it is "DE"`. */
function conditionText(condition: TriedRule["conditions"][number]): string {
  const { type, field, operator, targetValue, value, holds } = condition;
  if (type === "public") return "everyone: yes";
  if (type === "pass_gate" || type === "fail_gate") {
    const [, id = String(targetValue)] = /^segment:(.*)$/s.exec(String(targetValue)) ?? [];
    const isSegment = id !== String(targetValue);
    const wanted = type === "pass_gate" ? "" : "not ";
    return `${isSegment ? `${wanted}in the segment ${id}` : `the gate ${id} is ${wanted}on`}: ${holds ? "yes" : "no"}`;
  }
  const verb = operatorWords[operator ?? ""]?.label ?? operator ?? "";
  const target = Array.isArray(targetValue) ? targetValue.join(", ") : String(targetValue ?? "");
  const subject = field ?? type.replaceAll("_", " ");
  const found = value === undefined ? "the user has none" : `it is ${JSON.stringify(value)}`;
  return `${subject} ${verb} ${target}: ${holds ? "yes" : "no"}, ${found}`;
}
