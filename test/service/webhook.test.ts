import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DeliveryOutcome, Webhook } from "../../src/service/webhook.js";
import { webhookHeaders, webhookSecret } from "../../src/service/webhook-signature.js";
import { startTestService, type TestService } from "../support/service.js";

const secret = webhookSecret(`whsec_${Buffer.alloc(32, 7).toString("base64")}`) as Buffer;
const gates = "/console/v1/gates";

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A receiver that answers with the statuses that a test sets, then 204. */
let receiver: Server;
let url: string;
let received: Received[];
let answers: (readonly [status: number, headers?: Record<string, string>])[];
let service: TestService;
let now: number;
let outcomes: DeliveryOutcome[];
let failures: unknown[];
let webhook: Webhook;

beforeEach(async () => {
  received = [];
  answers = [];
  outcomes = [];
  failures = [];
  now = Date.UTC(2026, 0, 15, 12);
  receiver = createServer(async (request, answer) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    received.push({ headers: request.headers, text });
    const [status, headers = {}] = answers.shift() ?? [204];
    if (status > 0) answer.writeHead(status, headers).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks?token=1`;
  service = await startTestService();
  webhook = newWebhook();
  await webhook.check();
});

afterEach(async () => {
  await webhook.close();
  receiver.closeAllConnections();
  receiver.close();
  await service.close();
});

function newWebhook(): Webhook {
  return new Webhook({
    url,
    secret,
    entities: service.store.entities,
    now: () => now,
    onAttempt: (outcome) => outcomes.push(outcome),
    onFailed: (error) => failures.push(error),
  });
}

async function create(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await service.call({ method: "POST", path: gates, body: { name } });
  }
}

/** The ids of the entities that were told of, in order. */
const told = () =>
  received.map(({ text }) => (JSON.parse(text) as { data: { entityID: string } }).data.entityID);

test("signs as the example of the standard's reference implementation", () => {
  const key = webhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") as Buffer;
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(webhookHeaders(message, key)["webhook-signature"]).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test.each(["", "whsec_", "whsec_short", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_a b"])(
  "%j is no secret",
  (text) => {
    expect(webhookSecret(text)).toBeUndefined();
  },
);

describe("a webhook", () => {
  test("is told of each write from its beginning on, in order, signed", async () => {
    await create("one");
    await service.call({ method: "PATCH", path: `${gates}/one`, body: { description: "x" } });
    await service.call({ method: "DELETE", path: `${gates}/one` });
    expect(webhook.waiting).toBe(3);
    await webhook.check();
    expect(webhook.waiting).toBe(0);
    const bodies = received.map(({ text }) => JSON.parse(text));
    expect(bodies.map(({ type }) => type)).toEqual([
      "gate.created",
      "gate.updated",
      "gate.deleted",
    ]);
    const { data } = (await service.call({ path: "/console/v1/audit_logs" })).json;
    expect(bodies.map((body) => body.data).reverse()).toEqual(data);
    for (const { headers, text } of received) {
      const [id, time] = [headers["webhook-id"], headers["webhook-timestamp"]];
      const digest = createHmac("sha256", secret).update(`${id}.${time}.${text}`).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${digest}`);
      expect(time).toBe(String(now / 1_000));
    }
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
  });

  test("is told again, with the same id and later, until it has taken it; the others wait", async () => {
    await create("one", "two");
    answers = [[500], [302, { location: "/elsewhere" }]];
    await webhook.check();
    await webhook.check();
    expect(told()).toEqual(["one"]);
    now += 1_000;
    await webhook.check();
    expect(told()).toEqual(["one", "one"]);
    now += 300_000;
    await webhook.check();
    expect(told()).toEqual(["one", "one", "one", "two"]);
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    expect(ids.slice(0, 3)).toEqual([ids[0], ids[0], ids[0]]);
    expect(outcomes).toEqual(["failed", "failed", "delivered", "delivered"]);
    expect(failures).toMatchObject([{ message: "status 500" }]);
  });

  test("waits as long as the receiver asks", async () => {
    await create("one");
    answers = [[429, { "retry-after": "600" }]];
    await webhook.check();
    now += 599_000;
    await webhook.check();
    expect(received).toHaveLength(1);
    now += 1_001;
    await webhook.check();
    expect(received).toHaveLength(2);
  });

  test("waits until the time that the receiver names, and no longer if the clock is set back", async () => {
    await create("one");
    const until = new Date(now + 60_000).toUTCString();
    answers = [[503, { "retry-after": until }], [503]];
    await webhook.check();
    now += 59_000;
    await webhook.check();
    expect(received).toHaveLength(1);
    now += 1_001;
    await webhook.check();
    expect(received).toHaveLength(2);
    now -= 3_600_000;
    await webhook.check();
    expect(received).toHaveLength(3);
  });

  test("of another service goes on where the last one ended", async () => {
    await create("one");
    await webhook.check();
    await create("two");
    // Taken, but the answer does not come back.
    answers = [[0]];
    const cut = webhook.check();
    await expect.poll(() => received.length).toBe(2);
    await webhook.close();
    await cut;
    expect(failures).toEqual([]);
    webhook = newWebhook();
    await webhook.check();
    expect(told()).toEqual(["one", "two", "two"]);
    expect(webhook.waiting).toBe(0);
  });

  test("that nobody listens at is tried again", async () => {
    await create("one");
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    await webhook.check();
    expect(outcomes).toEqual(["failed"]);
    expect(webhook.waiting).toBe(1);
  });

  test("is told of more writes than are read at once", async () => {
    const names = Array.from({ length: 230 }, (_, index) => `gate_${index}`);
    await create(...names);
    for (let count = 0; count < 3; count += 1) await webhook.check();
    expect(told()).toEqual(names);
  });
});

test("tells a new URL of writes before its first look, and all that wait at once", async () => {
  url = `${url}&new`;
  const fresh = newWebhook();
  const names = Array.from({ length: 120 }, (_, index) => `gate_${index}`);
  await create(...names);
  await fresh.check();
  expect(told()).toEqual(names);
  await fresh.close();
});

test("begins where a URL was first given, also if the service is killed before its first look", async () => {
  url = `${url}&new`;
  await newWebhook().close();
  await create("early");
  const next = newWebhook();
  await next.check();
  expect(told()).toEqual(["early"]);
  await next.close();
});
