import type { EventReaderThread } from "./event-reader-thread.js";
import { findPerson, type Person, type PersonSearch } from "./event-removal.js";
import {
  countExperiment,
  type ExperimentCounts,
  type ExperimentQuestion,
} from "./experiment-counts.js";
import { type GateAnswers, readGateAnswers } from "./gate-answers.js";
import { LazyThread } from "./lazy-thread.js";
import type { SqliteDatabase } from "./sqlite-database.js";

/** Readings of many events. */
export interface LongReadings {
  countExperiment(question: ExperimentQuestion): Promise<ExperimentCounts>;
  findPerson(person: Person, after: number, last: number): Promise<PersonSearch>;
  gateAnswers(gates: readonly string[], since: number): Promise<readonly GateAnswers[]>;
  close(): Promise<void>;
}

/** Returns readings on the caller's thread. */
export function readingsOver(database: SqliteDatabase): LongReadings {
  return {
    countExperiment: async (question) => countExperiment(database, question),
    findPerson: async (person, after, last) => findPerson(database, person, after, last),
    gateAnswers: async (gates, since) => readGateAnswers(database, gates, since),
    close: async () => undefined,
  };
}

/** Returns readings in a thread; `entry` is the compiled `event-reader-thread`. */
export function readingsInThread(entry: URL, path: string): LongReadings {
  const thread = new LazyThread<EventReaderThread>({
    entry,
    name: "the thread that reads events",
    close: (remote) => remote.call("close"),
  });
  return {
    countExperiment: (question) =>
      thread.run((remote) => remote.call("countExperiment", path, question)),
    findPerson: (person, after, last) =>
      thread.run((remote) => remote.call("findPerson", path, person, after, last)),
    gateAnswers: (gates, since) =>
      thread.run((remote) => remote.call("gateAnswers", path, gates, since)),
    close: () => thread.close(),
  };
}
