import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend } from "../support/send-command.js";

const ROWS = 2_000;
/** Bytes; an array of 100 events has more, one of 25 has less. */
const LIMIT = 16_384;

/** The answer of a service to a request that is too large. */
interface Refusal {
  /** Refuses as soon as it sees the size in the head, not when it has read too much. */
  readonly isEarly: boolean;
  /** Answers 413 before it resets the connection. */
  readonly isSaid: boolean;
}

/** A service that takes bodies of up to LIMIT bytes and resets the connection of larger ones. */
class LimitedService {
  /** Keys of each stored event. */
  readonly keys = new Map<string, string[]>();
  refused = 0;
  accepted = 0;

  constructor(
    private readonly refusal: Refusal,
    private readonly onAccepted: () => void = () => undefined,
  ) {}

  async listen(): Promise<string> {
    const server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isTooLarge = Number(request.headers["content-length"]) > LIMIT;
    if (isTooLarge && this.refusal.isEarly) return this.#refuse(response);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        chunks.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes > LIMIT) return this.#refuse(response);
      }
    } catch {
      // The sender was killed.
      return;
    }
    for (const event of JSON.parse(Buffer.concat(chunks).toString()) as readonly unknown[]) {
      const text = JSON.stringify(event);
      const keys = this.keys.get(text) ?? [];
      this.keys.set(text, [...keys, String(request.headers["idempotency-key"])]);
    }
    this.accepted++;
    this.onAccepted();
    response.writeHead(202).end();
  }

  #refuse(response: ServerResponse): void {
    this.refused++;
    const reset = () => response.req.socket.resetAndDestroy();
    if (this.refusal.isSaid) response.writeHead(413).end("too large", reset);
    else reset();
  }

  /** Returns how many events are stored, and how many of them under several keys. */
  stored(): readonly [events: number, underSeveralKeys: number] {
    const several = [...this.keys.values()].filter((keys) => new Set(keys).size > 1);
    return [this.keys.size, several.length];
  }
}

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  return directory;
}

const arrays = ["--batch-size", "100", "--concurrency", "2"];

test.each<readonly [string, Refusal]>([
  ["413 before the body is read", { isEarly: true, isSaid: true }],
  ["413 while the body is read", { isEarly: false, isSaid: true }],
  ["no word before the body is read", { isEarly: true, isSaid: false }],
  ["no word while the body is read", { isEarly: false, isSaid: false }],
])(
  "an array that is refused with %s and a reset is sent in parts, later ones at once",
  async (_, refusal) => {
    const directory = directoryWithRows("send-too-large");
    const service = new LimitedService(refusal);
    const end = await runSend(directory, ["rows.jsonl", "--to", await service.listen(), ...arrays]);
    expect(end.json, end.stderr).toMatchObject({ exitCode: 3, rows: { read: ROWS } });
    expect(service.stored()).toEqual([end.json.rows.delivered, 0]);
    // Both requests in progress, at two sizes; without a word each of them is tried three times.
    expect(service.refused).toBeLessThanOrEqual(refusal.isSaid ? 4 : 12);
  },
);

longTest(
  "a run that is killed while it sends parts stores each event under one key",
  async () => {
    const directory = directoryWithRows("send-too-large-killed");
    let kill: () => void = () => undefined;
    const service = new LimitedService({ isEarly: true, isSaid: true }, () => {
      if (service.accepted % 7 === 0) kill();
    });
    const words = ["rows.jsonl", "--to", await service.listen(), ...arrays];
    for (let kills = 0; kills < 3; kills++) {
      const { signal } = await runSend(directory, words, {
        started(child) {
          kill = () => child.kill("SIGKILL");
        },
      });
      expect(signal).toBe("SIGKILL");
    }
    const end = await runSend(directory, words);
    expect(end.json, end.stderr).toMatchObject({ exitCode: 3, rows: { read: ROWS } });
    expect(service.stored()).toEqual([end.json.rows.delivered, 0]);
    // The limit is in the journal.
    expect(service.refused).toBeLessThanOrEqual(4);
  },
  120_000,
);
