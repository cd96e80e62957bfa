import { join } from "node:path";
import { expect, it } from "vitest";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import {
  killServicesAfterEach,
  type ServiceProcess,
  startServiceProcess,
} from "../support/service-process.js";

const KILLS = isCi ? 6 : 1;
const SENDERS = 8;
const ARRAY_EVENTS = 50;
const ACKNOWLEDGED_MAX = 60;
const DELAY_MS_MAX = 10;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const consoleKey = `console-${"c".repeat(43)}`;
const secret = `secret-${"s".repeat(43)}`;

/** One request, and what became of it. */
interface Sent {
  /** Idempotency key; each of its events has it in its metadata. */
  readonly id: string;
  readonly count: number;
  isAcknowledged: boolean;
}

const data = join(scratchDirectory("service-kill"), "data");
const random = createRandom(seed);
killServicesAfterEach();

it(`survives ${KILLS} kills under load, seed ${seed}: what was acknowledged is there, once`, async () => {
  console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
  const sent: Sent[] = [];
  let service = await start();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await loadAndKill(service, kill, sent);
    service = await start();
    expectWholeRequests(await storedCounts(service), sent);
    for (const request of sent.filter(({ isAcknowledged }) => !isAcknowledged)) {
      // Twice, as a sender does that sees neither answer.
      expect(await post(service, request)).toBe(202);
      expect(await post(service, request)).toBe(202);
      request.isAcknowledged = true;
    }
  }
  const counts = await storedCounts(service);
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(sent.map(({ id, count }) => [id, count])),
  );
  expect(sent.length).toBeGreaterThan(KILLS * SENDERS);
}, 300_000);

function start(): Promise<ServiceProcess> {
  return startServiceProcess(data, {
    words: ["--log-level", "error"],
    env: { SWITCHYARD_CONSOLE_KEY: consoleKey, SWITCHYARD_SERVER_SECRET: secret },
  });
}

/** Half of the senders send single events, half arrays, until the service is gone. */
async function loadAndKill(service: ServiceProcess, kill: number, sent: Sent[]): Promise<void> {
  const killAt = 1 + Math.floor(random() * ACKNOWLEDGED_MAX);
  let acknowledged = 0;
  const send = async (sender: number) => {
    for (let n = 0; ; n += 1) {
      const count = sender % 2 === 0 ? 1 : ARRAY_EVENTS;
      const request: Sent = { id: `${kill}-${sender}-${n}`, count, isAcknowledged: false };
      sent.push(request);
      try {
        expect(await post(service, request)).toBe(202);
      } catch (error) {
        if (service.child.killed) return;
        throw error;
      }
      request.isAcknowledged = true;
      acknowledged += 1;
      // Close to the moment of the answer, because most of a transaction is before it.
      if (acknowledged === killAt)
        setTimeout(() => service.stop("SIGKILL"), random() * DELAY_MS_MAX);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  expect(await service.stop("SIGKILL")).toBeNull();
}

async function post(service: ServiceProcess, { id, count }: Sent): Promise<number> {
  const event = (index: number) => ({
    event: `event ${index % 3}`,
    timestamp: Date.UTC(2024, 0, 1 + (index % 2)),
    metadata: { id, index },
  });
  const body = count === 1 ? event(0) : Array.from({ length: count }, (_, index) => event(index));
  const { status } = await service.call("/v1/webhooks/event_webhook", secret, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": id },
    body: JSON.stringify(body),
  });
  return status;
}

/** Acknowledged requests are there with every event, the others so or not at all. */
function expectWholeRequests(counts: ReadonlyMap<string, number>, sent: readonly Sent[]): void {
  for (const { id, count, isAcknowledged } of sent) {
    const found = counts.get(id) ?? 0;
    expect(isAcknowledged ? [count] : [0, count], `events of request ${id}`).toContain(found);
  }
}

interface Listed {
  readonly data: readonly { readonly metadata: { readonly id: string; readonly index: number } }[];
  readonly nextCursor: string | null;
}

/** Stored events by the request that brought them; no event stands twice in it. */
async function storedCounts(service: ServiceProcess): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { json } = await service.call(`/v1/events?limit=1000${query}`, consoleKey);
    const { data, nextCursor } = json as Listed;
    for (const { metadata } of data) {
      const name = `${metadata.id}/${metadata.index}`;
      if (seen.has(name)) throw new Error(`event ${name} was stored twice`);
      seen.add(name);
      counts.set(metadata.id, (counts.get(metadata.id) ?? 0) + 1);
    }
    cursor = nextCursor;
  }
  return counts;
}
