import { serveCalls } from "../base/thread-call.js";
import { findPerson, type Person, type PersonSearch } from "./event-removal.js";
import {
  countExperiment,
  type ExperimentCounts,
  type ExperimentQuestion,
} from "./experiment-counts.js";
import { type GateAnswers, readGateAnswers } from "./gate-answers.js";
import { SqliteDatabase } from "./sqlite-database.js";

/** The calls that the thread serves. `path` is the database file, which is up to date; it stays open. */
export interface EventReaderThread {
  countExperiment(path: string, question: ExperimentQuestion): ExperimentCounts;
  findPerson(path: string, person: Person, after: number, last: number): PersonSearch;
  gateAnswers(path: string, gates: readonly string[], since: number): readonly GateAnswers[];
  close(): void;
}

let opened: SqliteDatabase | undefined;

function open(path: string): SqliteDatabase {
  opened ??= new SqliteDatabase(path);
  return opened;
}

// Entry file of the thread that reads many events: other work does not wait for it.
serveCalls<EventReaderThread>({
  countExperiment: (path, question) => countExperiment(open(path), question),
  findPerson: (path, person, after, last) => findPerson(open(path), person, after, last),
  gateAnswers: (path, gates, since) => readGateAnswers(open(path), gates, since),
  close: () => opened?.close(),
});
