import { parentPort, type ResourceLimits, Worker } from "node:worker_threads";
import { hasCode, SwitchyardError } from "./errors.js";
import { MIB } from "./limits.js";

/**
 * Methods that a thread or process serves; arguments and results survive a structured clone. Between
 * threads, an `ArrayBuffer` that is an argument, or a member of a result that is a list, is moved, not
 * copied.
 */
export type Methods<Served> = { readonly [Name in keyof Served]: (...input: never) => unknown };

type DeathReason = "refused" | "out_of_memory" | "exit" | "crash";

/**
 * A thread or process ended before it answered: refused by the system when it started, out of
 * memory, an exit, or an uncaught error.
 */
export class RemoteDeath extends Error {
  constructor(
    readonly reason: DeathReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "RemoteDeath";
  }
}

interface CallMessage {
  readonly id: number;
  readonly method: string;
  readonly input: readonly unknown[];
}

/** An error as it crosses the boundary. */
interface ErrorFacts {
  readonly code: string;
  readonly text: string;
  readonly exitCode: number;
}

export type AnswerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorFacts };

/** A thread or process as its `Remote` uses it. */
interface Channel {
  post(message: CallMessage): void;
  kill(): void;
  /** Decides if the thread or process keeps this process alive. */
  setRef(isRef: boolean): void;
}

interface ChannelEvents {
  answered(message: AnswerMessage): void;
  /** Called after all answers of a thread. */
  died(death: RemoteDeath): void;
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A thread or process that answers calls of its methods. Calls may overlap. It keeps this process
 * alive only while a call is pending.
 */
export class Remote<Served extends Methods<Served>> {
  readonly #channel: Channel;
  readonly #pending = new Map<number, PendingCall>();
  readonly #ended: Promise<void>;
  #calls = 0;
  #isTerminating = false;
  #death: RemoteDeath | undefined;

  /** Use `startThread`, or `startProcess` of process-call.ts. */
  constructor(connect: (events: ChannelEvents) => Channel) {
    let ended: () => void;
    this.#ended = new Promise((resolve) => {
      ended = resolve;
    });
    this.#channel = connect({
      answered: (message) => this.#settle(message),
      died: (death) => {
        this.#die(death);
        ended();
      },
    });
    this.#channel.setRef(false);
  }

  /** Why the thread or process has ended; undefined while it is alive. */
  get death(): RemoteDeath | undefined {
    return this.#death;
  }

  /**
   * Calls a method. Rejects with the `SwitchyardError` that the method threw, or with `RemoteDeath`
   * if the remote ends first. An answer that arrived before the end counts.
   */
  call<Name extends keyof Served & string>(
    method: Name,
    ...input: Parameters<Served[Name]>
  ): Promise<Awaited<ReturnType<Served[Name]>>> {
    type Result = Awaited<ReturnType<Served[Name]>>;
    return new Promise<Result>((resolve, reject) => {
      if (this.#death !== undefined) {
        reject(this.#death);
        return;
      }
      const id = this.#calls++;
      if (this.#pending.size === 0) this.#channel.setRef(true);
      this.#pending.set(id, { resolve: (result) => resolve(result as Result), reject });
      this.#channel.post({ id, method, input });
    });
  }

  /** Ends the thread or process at once; resolves when it is gone. */
  async terminate(): Promise<void> {
    if (this.#death === undefined) {
      // Keeps this process alive until the remote is gone, even if it answers a pending call first.
      this.#isTerminating = true;
      this.#channel.setRef(true);
      this.#channel.kill();
    }
    await this.#ended;
  }

  #settle(message: AnswerMessage): void {
    const call = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0 && !this.#isTerminating) this.#channel.setRef(false);
    if ("error" in message) {
      const { code, text, exitCode } = message.error;
      call?.reject(new SwitchyardError(code, text, { exitCode }));
    } else call?.resolve(message.result);
  }

  #die(death: RemoteDeath): void {
    this.#death ??= death;
    for (const { reject } of this.#pending.values()) reject(this.#death);
    this.#pending.clear();
  }
}

/**
 * Young generation of a thread whose heap is limited, in MiB. It fits into the processor's cache: with V8's
 * default, ten times as much, transforms took 2 to 17 % more processor time and up to 300 MB more memory.
 */
const YOUNG_MIB = 2;

export interface RemoteOptions {
  /** JavaScript heap; Node's default if undefined. */
  readonly heapBytes?: number;
}

/**
 * Starts a worker thread whose entry file calls `serveCalls`. If the system refuses the thread, its
 * calls are rejected with the reason `refused`.
 */
export function startThread<Served extends Methods<Served>>(
  entry: URL,
  { heapBytes }: RemoteOptions = {},
): Remote<Served> {
  return new Remote((events) => {
    const resourceLimits = heapBytes === undefined ? {} : limitsOf(heapBytes);
    let worker: Worker;
    try {
      worker = new Worker(entry, { resourceLimits });
    } catch (error) {
      if (!hasCode(error, "ERR_WORKER_INIT_FAILED")) throw error;
      events.died(deathBy(error));
      return neverStarted;
    }
    let death: RemoteDeath | undefined;
    worker.on("message", events.answered);
    worker.on("error", (error) => {
      death = deathBy(error);
    });
    worker.on("exit", (code) => {
      events.died(death ?? new RemoteDeath("exit", `its thread ended with exit code ${code}`));
    });
    return {
      post: (message) => worker.postMessage(message, buffersOf(message.input)),
      kill: () => void worker.terminate(),
      setRef: (isRef) => (isRef ? worker.ref() : worker.unref()),
    };
  });
}

function limitsOf(heapBytes: number): ResourceLimits {
  return {
    maxOldGenerationSizeMb: Math.floor(heapBytes / MIB),
    maxYoungGenerationSizeMb: YOUNG_MIB,
  };
}

/** Returns the buffers that a message moves. */
function buffersOf(values: unknown): readonly ArrayBuffer[] {
  return Array.isArray(values) ? values.filter((value) => value instanceof ArrayBuffer) : [];
}

const neverStarted: Channel = { post() {}, kill() {}, setRef() {} };

/** Returns the death that an error of a thread or process tells of. */
export function deathBy(error: unknown): RemoteDeath {
  if (hasCode(error, "ERR_WORKER_OUT_OF_MEMORY")) {
    return new RemoteDeath("out_of_memory", "its thread ran out of memory", { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (hasCode(error, "ERR_WORKER_INIT_FAILED")) {
    return new RemoteDeath("refused", `the system refuses it (${message})`, { cause: error });
  }
  return new RemoteDeath("crash", message, { cause: error });
}

/**
 * Serves calls; the entry file of a thread or process calls it once. A `SwitchyardError` that a
 * method throws rejects the call. Any other error ends the thread or process, because its state is
 * unknown.
 */
export function serveCalls<Served extends Methods<Served>>(methods: Served): void {
  const port = parentPort;
  const post = (message: AnswerMessage) => {
    if (port === null) process.send?.(message);
    else port.postMessage(message, "result" in message ? buffersOf(message.result) : []);
  };
  const receive = async ({ id, method, input }: CallMessage) => {
    const serve = methods[method as keyof Served] as (...input: never) => unknown;
    try {
      post({ id, result: await serve.apply(methods, input as never) });
    } catch (error) {
      if (!(error instanceof SwitchyardError)) throw error;
      const { code, exitCode } = error;
      post({ id, error: { code, text: error.toText(), exitCode } });
    }
  };
  if (port === null) process.on("message", receive);
  else port.on("message", receive);
}
