import { useState } from "preact/hooks";
import { formatCount } from "../../base/format-count.js";
import type { Migration, MigrationAttempt, MigrationStep } from "../../contract/migration.js";
import { formatDuration } from "../../report/quantities.js";
import { Badge, ErrorNotice, Missing, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { Time } from "../../ui/time.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { usePolling } from "../../ui/use-polling.js";
import { ApiError, api } from "../api/client.js";
import { DaysOfSteps } from "./days-of-steps.js";
import { Rejects } from "./rejects.js";
import { ProgressBar, stateTones, stateWords } from "./step-progress.js";
import { Validation } from "./validation.js";

/** One migration, live while it runs. */
export function MigrationPage({ id }: { id: string }) {
  const { value, error, reload } = useLoad(`migration ${id}`, (signal) =>
    api.readMigration({ id, signal }),
  );
  usePolling(reload, true);
  if (value === undefined && error instanceof ApiError && error.status === 404) {
    return (
      <Missing title="There is no such migration">
        <a href="/migrations">Show all migrations</a>
      </Missing>
    );
  }
  if (value === undefined && error !== undefined)
    return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={12} />;
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      <Shown migration={value.data} />
    </>
  );
}

function Shown({ migration }: { migration: Migration }) {
  const { id, name, configuration, destination, attempts, steps, validation, nextCommand } =
    migration;
  const attempt = attempts.at(-1);
  if (attempt === undefined) return null;
  return (
    <>
      <header class="entity-head">
        <p class="crumbs">
          <a href="/migrations">Migrations</a>
        </p>
        <div class="entity-title">
          <h1>{name}</h1>
          <Badge tone={stateTones[attempt.state]}>{stateWords[attempt.state]}</Badge>
        </div>
        <p class="soft">
          {configuration !== null && <code>{configuration}</code>}
          {destination !== null && <> → {destination}</>}
        </p>
      </header>
      <AttemptState attempt={attempt} />
      {nextCommand !== null && attempt.state !== "running" && <NextCommand command={nextCommand} />}
      <Section title="Steps">
        <ol class="cards">
          {steps.map((step) => (
            <Step key={step.name} step={step} />
          ))}
        </ol>
      </Section>
      <DaysOfSteps steps={steps} />
      <Rejects steps={steps} />
      {validation !== null && <Validation migrationID={id} validation={validation} />}
      <Attempts attempts={attempts} />
    </>
  );
}

function AttemptState({ attempt }: { attempt: MigrationAttempt }) {
  const { state, error, endedTime } = attempt;
  if (state === "killed") {
    return (
      <p class="notice notice-error" role="status">
        Its process died
        {endedTime !== null && (
          <>
            ; last heard of <Time at={endedTime} />
          </>
        )}
        . Nothing that was committed is lost: the same command goes on where it stopped.
      </p>
    );
  }
  if (error === null) return null;
  return (
    <p class="notice notice-error" role="status">
      {error.message}
    </p>
  );
}

/** The command to type next. */
function NextCommand({ command }: { command: string }) {
  return (
    <Section title="Next">
      <div class="command">
        <pre>{command}</pre>
        <button
          type="button"
          class="quiet"
          onClick={async () => {
            await navigator.clipboard.writeText(command);
            say("The command is copied.");
          }}
        >
          Copy
        </button>
      </div>
    </Section>
  );
}

function Step({ step }: { step: MigrationStep }) {
  const { name, state, startedTime, endedTime, progress, notes, summary, accounts, error } = step;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li class="panel">
      <h3>
        {name} <Badge tone={stateTones[state]}>{stateWords[state]}</Badge>
        {startedTime !== null && endedTime !== null && (
          <small>{formatDuration(endedTime - startedTime)}</small>
        )}
      </h3>
      {progress !== null && state === "running" && <ProgressBar progress={progress} />}
      {accounts !== null && <Accounts accounts={accounts} />}
      {error !== null && <p class="fault">{error.message}</p>}
      {notes.map((note) => (
        <p class="soft" key={note}>
          {note}
        </p>
      ))}
      {summary !== "" && (
        <>
          <button
            type="button"
            class="link"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? "Hide what it printed" : "Show what it printed"}
            <span class="visually-hidden"> ({name})</span>
          </button>
          {isOpen && <pre>{summary}</pre>}
        </>
      )}
    </li>
  );
}

/** Every row is in one of the accounts. */
function Accounts({ accounts }: { accounts: NonNullable<MigrationStep["accounts"]> }) {
  const { read, added, delivered, rejected, filtered, duplicates } = accounts;
  const sum = delivered + rejected + filtered + duplicates;
  const parts = [
    ["read", read],
    ...(added > 0 ? ([["added by the transform", added]] as const) : []),
    ["delivered", delivered],
    ["rejected", rejected],
    ["filtered", filtered],
    ["duplicates", duplicates],
  ] as const;
  return (
    <>
      <dl class="accounts">
        {parts.map(([word, count]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      {read + added !== sum && (
        <p class="fault">
          {formatCount(Math.abs(read + added - sum))} rows are not accounted for: do not trust this
          run.
        </p>
      )}
    </>
  );
}

function Attempts({ attempts }: { attempts: readonly MigrationAttempt[] }) {
  return (
    <Section title="Attempts">
      <ul class="changes">
        {[...attempts].reverse().map((attempt) => (
          <li key={attempt.number}>
            <p>
              <strong>{attempt.number}</strong>{" "}
              <Badge tone={stateTones[attempt.state]}>{stateWords[attempt.state]}</Badge>{" "}
              <code>{attempt.command}</code>{" "}
              <span class="soft">
                <Time at={attempt.startedTime} />
                {attempt.endedTime !== null && (
                  <>, {formatDuration(attempt.endedTime - attempt.startedTime)}</>
                )}
              </span>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
