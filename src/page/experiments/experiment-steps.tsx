import { useState } from "preact/hooks";
import type { Experiment } from "../../contract/experiment.js";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { ErrorNotice, UnsavedNotice } from "../../ui/feedback.js";
import { SelectField, TextField } from "../../ui/fields.js";
import { say } from "../../ui/toasts.js";
import { api } from "../api/client.js";
import { changes } from "../live.js";

/** A step of an experiment's life. */
type Step = "start" | "decide" | "abandon" | "reset";

const words: Readonly<
  Record<Step, { title: string; action: string; effect: string; done: string }>
> = {
  start: {
    title: "Start",
    action: "Start",
    effect: "Users are put into groups from now on. The groups cannot change while it runs.",
    done: "is running",
  },
  decide: {
    title: "Make a decision",
    action: "Ship the group",
    effect: "Everyone gets the values of the chosen group, and the experiment ends.",
    done: "is decided",
  },
  abandon: {
    title: "Abandon",
    action: "Abandon",
    effect: "The experiment ends without a winner: everyone gets what they had before it.",
    done: "is abandoned",
  },
  reset: {
    title: "Return to setup",
    action: "Return to setup",
    effect: "The experiment stops, and can be changed and started again.",
    done: "is in setup",
  },
};

/** The steps that a state allows. */
const stepsOf: Readonly<Record<string, readonly Step[]>> = {
  setup: ["start"],
  active: ["decide", "abandon", "reset"],
  assignment_stopped: ["decide", "abandon", "reset"],
  experiment_stopped: ["decide", "abandon", "reset"],
  decision_made: ["reset"],
  abandoned: ["reset"],
};

interface ExperimentStepsProps {
  readonly experiment: Experiment;
  /** True if there are edits that are not saved. */
  readonly isEdited: boolean;
}

/** Buttons for the next steps of an experiment. */
export function ExperimentSteps({ experiment, isEdited }: ExperimentStepsProps) {
  const [step, setStep] = useState<Step>();
  return (
    <>
      {(stepsOf[experiment.status] ?? []).map((one) => (
        <button
          key={one}
          type="button"
          class={one === "start" || one === "decide" ? "primary" : "quiet"}
          onClick={() => setStep(one)}
        >
          {words[one].title}
        </button>
      ))}
      {step !== undefined && (
        <StepDialog
          step={step}
          experiment={experiment}
          isEdited={isEdited}
          onClose={() => setStep(undefined)}
        />
      )}
    </>
  );
}

interface StepDialogProps extends ExperimentStepsProps {
  readonly step: Step;
  readonly onClose: () => void;
}

function StepDialog({ step, experiment, isEdited, onClose }: StepDialogProps) {
  const { id, name, groups, version } = experiment;
  const ifMatch = String(version);
  const [group, setGroup] = useState(groups[0]?.id ?? "");
  const [reason, setReason] = useState("");
  const [error, setError] = useState<Error>();
  const { title, action, effect, done } = words[step];
  const act = async (event: Event) => {
    event.preventDefault();
    const calls: Readonly<Record<Step, () => Promise<unknown>>> = {
      start: () => api.startExperiment({ id, ifMatch }),
      decide: () =>
        api.decideExperiment({ id, body: { id: group, decisionReason: reason }, ifMatch }),
      abandon: () => api.abandonExperiment({ id, body: { decisionReason: reason }, ifMatch }),
      reset: () => api.resetExperiment({ id, ifMatch }),
    };
    try {
      await calls[step]();
      changes.value++;
      say(`${name} ${done}.`);
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={`${title}: ${name}`} onClose={onClose}>
      <form onSubmit={act}>
        <p>{effect}</p>
        {step === "decide" && (
          <SelectField
            label="Group"
            value={group}
            choices={groups.map((one) => ({ value: one.id, label: one.name }))}
            onInput={setGroup}
          />
        )}
        {(step === "decide" || step === "abandon") && (
          <TextField label="Reason" value={reason} onInput={setReason} rows={2} />
        )}
        {isEdited && <UnsavedNotice />}
        {error !== undefined && <ErrorNotice error={error} />}
        <DialogButtons
          action={action}
          isDanger={step === "abandon"}
          disabled={isEdited}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
