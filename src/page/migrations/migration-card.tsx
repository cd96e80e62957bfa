import { formatCount } from "../../base/format-count.js";
import type { ListedMigration } from "../../contract/migration.js";
import { Badge } from "../../ui/feedback.js";
import { Time } from "../../ui/time.js";
import { ProgressBar, stateTones, stateWords } from "./step-progress.js";

/** A migration in short, for lists. */
export function MigrationCard({ migration }: { migration: ListedMigration }) {
  const { id, name, destination, attempt, steps, progress, accounts } = migration;
  return (
    <li class="panel">
      <h2>
        <a href={`/migrations/${id}`}>{name}</a>{" "}
        <Badge tone={stateTones[attempt.state]}>{stateWords[attempt.state]}</Badge>
      </h2>
      <p class="soft">
        {destination !== null && <>to {destination} · </>}
        attempt {attempt.number}, started <Time at={attempt.startedTime} />
      </p>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={`step step-${step.state}`}>
            {step.name}
            <span class="visually-hidden"> {stateWords[step.state]}</span>
          </li>
        ))}
      </ol>
      {progress !== null && attempt.state === "running" && <ProgressBar progress={progress} />}
      {accounts !== null && (
        <p>
          {formatCount(accounts.delivered)} of {formatCount(accounts.read)} rows delivered
          {accounts.rejected > 0 && <>, {formatCount(accounts.rejected)} rejected</>}
        </p>
      )}
    </li>
  );
}
