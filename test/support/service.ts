import type { InjectOptions } from "fastify";
import type { LogLevel } from "../../src/base/log-levels.js";
import type { ErrorBody, Pagination } from "../../src/contract/common.js";
import type { App } from "../../src/http/app.js";
import { keyRecord, type NewKeyFacts, newKeyText } from "../../src/http/key-text.js";
import { createLogger } from "../../src/http/request-log.js";
import { createService, type ServiceOptions } from "../../src/service/create-service.js";
import type { KeyKind } from "../../src/storage/key-store.js";
import type { Store } from "../../src/storage/store.js";
import { checkAnswer } from "./answer-check.js";
import { watchOutput } from "./secret-watch.js";
import { openTestStore } from "./test-store.js";

/** The time of the first call; each call is one second after the one before. */
export const START_TIME = Date.UTC(2026, 0, 15, 12);

export interface TestKeys {
  readonly console: string;
  readonly readOnly: string;
  readonly revoked: string;
  readonly server: string;
  readonly client: string;
}

export interface TestCall {
  /** Default: GET. */
  readonly method?: NonNullable<InjectOptions["method"]>;
  readonly path: string;
  /** Sent as JSON; a text or bytes are sent as they are. */
  readonly body?: unknown;
  /** Default: the console key; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Body of an answer: of an error, an entity (`Data`), or a list of them. */
export interface AnswerBody<Data> extends ErrorBody {
  readonly data: Data;
  readonly pagination: Pagination;
}

export interface TestAnswer<Data = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the answer has no body; a text if it is not JSON. */
  readonly json: AnswerBody<Data>;
}

export interface TestService {
  readonly app: App;
  readonly store: Store;
  readonly keys: TestKeys;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** `Data` is what the test expects as `data` of a good answer. */
  call<Data>(call: TestCall): Promise<TestAnswer<Data>>;
  close(): Promise<void>;
}

export interface TestServiceOptions extends Omit<ServiceOptions, "logger"> {
  readonly store?: Store;
  readonly logLevel?: LogLevel;
  /** Leaves the app without a store, as before the store is open. */
  readonly closedStore?: boolean;
}

/** Starts a service that answers without a socket, with its own store and one key of each kind. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const {
    store = await openTestStore(),
    logLevel = "debug",
    closedStore,
    ...dependencies
  } = options;
  const log: string[] = [];
  const answers: string[] = [];
  watchOutput("the log of a service", () => log.join("\n"));
  watchOutput("an answer of a service", () => answers.join("\n"));
  const logger = createLogger(logLevel, { write: (line) => log.push(line) });
  const app = createService({ now: steppingClock(), ...dependencies, logger });
  const keys = await insertKeys(store);
  if (closedStore !== true) app.open(store);
  const call = async <Data>(call: TestCall): Promise<TestAnswer<Data>> => {
    const response = await app.http.inject(injection(call, keys, dependencies.keyHeader));
    const { statusCode: status, payload } = response;
    answers.push(payload);
    const headers = response.headers as Readonly<Record<string, string>>;
    const answer = { status, headers, json: jsonOf(payload) as AnswerBody<Data> };
    checkAnswer(call, answer, dependencies.endpoints?.routes);
    return answer;
  };
  return {
    app,
    store,
    keys,
    log,
    call,
    close: async () => {
      await app.http.close();
      await store.close();
    },
  };
}

function steppingClock(): () => number {
  let time = START_TIME;
  return () => {
    time += 1_000;
    return time;
  };
}

async function insertKeys(store: Store): Promise<TestKeys> {
  const insert = async (kind: KeyKind, facts: Partial<NewKeyFacts> = {}) => {
    const key = newKeyText(kind);
    const record = keyRecord(key, { kind, createdTime: START_TIME, ...facts });
    await store.keys.insert(record);
    return { key, id: record.id };
  };
  const revoked = await insert("console");
  await store.keys.revoke(revoked.id, START_TIME);
  return {
    console: (await insert("console")).key,
    readOnly: (await insert("console", { scopes: ["read"] })).key,
    revoked: revoked.key,
    server: (await insert("server")).key,
    client: (await insert("client")).key,
  };
}

function injection(
  { method = "GET", path, body, key, headers }: TestCall,
  keys: TestKeys,
  keyHeader = "SERVICE-API-KEY",
): InjectOptions {
  const payload =
    body === undefined || typeof body === "string" || Buffer.isBuffer(body)
      ? body
      : JSON.stringify(body);
  return {
    method,
    url: path,
    ...(payload === undefined ? {} : { payload }),
    headers: {
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { [keyHeader]: key ?? keys.console }),
      ...headers,
    },
  };
}

function jsonOf(payload: string): unknown {
  if (payload === "") return undefined;
  try {
    return JSON.parse(payload);
  } catch {
    // Answers that are not JSON, such as metrics and pages.
    return payload;
  }
}
