import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Clock, systemClock } from "../base/clock.js";
import { codeOrMessage, exitCodes, hasCode } from "../base/errors.js";
import { type LockFile, takeLockFile } from "../base/lock-file.js";
import { makeDirectory } from "../base/make-directory.js";
import { nameOptions } from "../base/option-text.js";
import type { Migration, MigrationAttempt, MigrationStep } from "../contract/migration.js";
import type { RunObserver, RunProgress } from "../ledger/run-observer.js";
import type { StepName } from "../options/configuration-schema.js";
import { Speedometer } from "../report/progress.js";
import { describeFailure } from "../report/summary-parts.js";
import { journalPath } from "../storage/migration-journals.js";
import {
  attemptStateOf,
  emptyStep,
  factsOfStep,
  failureOf,
  progressOf,
  shortened,
  validationOf,
} from "./journal-facts.js";
import { NOTES_MAX, WRITE_INTERVAL_MS } from "./journal-limits.js";
import { type JournaledRun, journalIdOf, readBefore, startedJournal } from "./journal-start.js";
import type { CommandOutcome, StepReport } from "./step.js";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

interface JournalDependencies {
  /** Prints a line about the journal itself. */
  note(text: string): void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The journal of the runs of one configuration, for the console of the service. It is written when a step
 * begins or ends, and at most once a second between. A failure to write it is a note, never an error.
 */
export class Journal {
  /** Ends with the last write. */
  #written: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #progress: (() => RunProgress) | undefined;
  #speedometer = new Speedometer();
  /** The running step as it was before. */
  #before: MigrationStep | undefined;
  /** True if a step of this attempt says why it failed. */
  #isExplained = false;
  readonly #stopTimer: () => void;

  private constructor(
    private readonly path: string,
    private content: Migration,
    private readonly lock: LockFile,
    private readonly dependencies: Required<JournalDependencies>,
  ) {
    let isWriting = false;
    this.#stopTimer = dependencies.clock.repeat(WRITE_INTERVAL_MS, () => {
      if (isWriting) return;
      isWriting = true;
      void this.#write().finally(() => {
        isWriting = false;
      });
    });
  }

  /** Begins an attempt. Returns undefined, after a note, if the journal cannot be written. */
  static async open(
    dataDirectory: string,
    run: JournaledRun,
    given: JournalDependencies,
  ): Promise<Journal | undefined> {
    const dependencies = { clock: systemClock, now: Date.now, ...given };
    const { note, now } = dependencies;
    const id = journalIdOf(run);
    const file = journalPath(dataDirectory, id);
    try {
      await makeDirectory(path.dirname(file), DIRECTORY_MODE);
      const lock = await takeLockFile(`${file}.lock`);
      const before = await readBefore(file, id, now(), note);
      const journal = new Journal(
        file,
        await startedJournal(run, id, before, now()),
        lock,
        dependencies,
      );
      await journal.#write();
      return journal;
    } catch (error) {
      const why = hasCode(error, "output_locked")
        ? "another run of the same configuration writes it"
        : codeOrMessage(error);
      note(`This run is not shown in the console of the service. ${file}: ${why}`);
      return undefined;
    }
  }

  /** Identifies the migration in the API. */
  get id(): string {
    return this.content.id;
  }

  /** Begins a step, and returns an observer that keeps the journal informed. */
  begin(name: StepName, observer: RunObserver): RunObserver {
    const { now, clock } = this.dependencies;
    this.#before = this.content.steps.find((step) => step.name === name);
    this.#change(name, { ...emptyStep(name), state: "running", startedTime: now() });
    void this.#write();
    return {
      started: (progress) => {
        this.#progress = progress;
        this.#speedometer = new Speedometer();
        this.#speedometer.take(clock.now(), progress());
        observer.started?.(progress);
      },
      sourceFailed: (failure) => {
        this.#addNote(name, `failed: ${describeFailure(failure)}`);
        observer.sourceFailed?.(failure);
      },
      note: (text) => {
        this.#addNote(name, nameOptions(text));
        observer.note?.(text);
      },
    };
  }

  /** Ends a step with its report. */
  async end(name: StepName, report: StepReport): Promise<void> {
    this.#stopProgress();
    const facts = await factsOfStep(report);
    const validation = validationOf(report.results);
    const before = this.#before;
    const endedTime = this.dependencies.now();
    this.#isExplained ||= facts.error !== null;
    // A step that found nothing new keeps what it found before.
    const isKept = report.isIdle === true && facts.accounts === null && before !== undefined;
    const { startedTime = null } = this.#stepOf(name) ?? {};
    const kept = { ...before, state: facts.state, startedTime, error: null };
    this.#change(name, { ...(isKept ? kept : facts), endedTime });
    if (validation !== undefined) this.content = { ...this.content, validation };
    await this.#write();
  }

  /** Ends a step that threw instead of a report. */
  async fail(name: StepName, error: unknown, exitCode: number): Promise<void> {
    this.#stopProgress();
    const state = attemptStateOf(exitCode);
    this.#isExplained = true;
    const failure = state === "failed" ? failureOf(error) : null;
    this.#change(name, { state, error: failure, endedTime: this.dependencies.now() });
    await this.#write();
  }

  /** Ends the attempt. */
  async close({ exitCode, error, nothingNew, reports, command }: CommandOutcome): Promise<void> {
    this.#stopTimer();
    const state = attemptStateOf(exitCode);
    const { attempts, steps, nextCommand } = this.content;
    const canResume = exitCode === exitCodes.failed || exitCode === exitCodes.interrupted;
    const isMigrated = command === "migrate" && exitCode === exitCodes.done;
    const isToTell = error !== undefined && state === "failed" && !this.#isExplained;
    this.content = {
      ...this.content,
      attempts: attempts.with(-1, {
        ...(attempts.at(-1) as MigrationAttempt),
        state,
        endedTime: this.dependencies.now(),
        error: isToTell ? failureOf(error) : null,
      }),
      steps: steps.map((step) =>
        step.state === "waiting"
          ? { ...step, state: nothingNew === undefined ? "skipped" : "done" }
          : step,
      ),
      nextCommand: isMigrated ? null : (reports.at(-1)?.next ?? (canResume ? nextCommand : null)),
    };
    await this.#write();
    await this.lock.release().catch(() => undefined);
  }

  #stepOf(name: StepName): MigrationStep | undefined {
    return this.content.steps.find((step) => step.name === name);
  }

  #change(name: StepName, changes: Partial<MigrationStep>): void {
    const steps = this.content.steps.map((step) =>
      step.name === name ? { ...step, ...changes } : step,
    );
    this.content = { ...this.content, steps };
  }

  #addNote(name: StepName, text: string): void {
    const notes = [...(this.#stepOf(name)?.notes ?? []), shortened(text)];
    this.#change(name, { notes: notes.slice(-NOTES_MAX) });
  }

  #takeProgress(): void {
    const running = this.content.steps.find(({ state }) => state === "running");
    const progress = this.#progress?.();
    if (running === undefined || progress === undefined) return;
    const speed = this.#speedometer.take(this.dependencies.clock.now(), progress);
    this.#change(running.name, { progress: progressOf(progress, speed) });
  }

  #stopProgress(): void {
    this.#takeProgress();
    this.#progress = undefined;
  }

  /** Replaces the file after the writes before. A reader sees the old file or the new one. */
  #write(): Promise<void> {
    this.#written = this.#written.then(async () => {
      this.#takeProgress();
      this.content = { ...this.content, updatedTime: this.dependencies.now() };
      const draft = `${this.path}.draft`;
      try {
        await writeFile(draft, `${JSON.stringify(this.content)}\n`, { mode: FILE_MODE });
        await rename(draft, this.path);
      } catch (error) {
        if (!this.#hasFailed)
          this.dependencies.note(
            `The console of the service shows an old state of this run: ${this.path} cannot be written ` +
              `(${codeOrMessage(error)}). The run continues.`,
          );
        this.#hasFailed = true;
      }
    });
    return this.#written;
  }
}
