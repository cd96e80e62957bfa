import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { randomWorld } from "../evaluation/random-world.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { propertyRuns } from "../support/property-runs.js";
import { hasPackages } from "./packages.js";
import { type Answer, type EntityPart, expectOracle, serveWorld, usersOf } from "./served-world.js";

const chromium = findChromium();
const script = new URL(
  "../../node_modules/@statsig/js-client/build/statsig-js-client.min.js",
  import.meta.url,
);

/** Runs in the page. Returns the answers of all entities for a user. */
async function askAll({ key, api, user, ids }: PageCall): Promise<Answer[]> {
  // biome-ignore lint/suspicious/noExplicitAny: the script of the SDK sets it
  const { StatsigClient } = (globalThis as any).Statsig;
  const client = new StatsigClient(key, user, { networkConfig: { api }, disableStorage: true });
  await client.initializeAsync();
  const answers = ids.map(([part, id]) => {
    if (part === "gate") {
      const { value, ruleID } = client.getFeatureGate(id);
      return { value, ruleID };
    }
    if (part === "config") {
      const { value, ruleID } = client.getDynamicConfig(id);
      return { value, ruleID };
    }
    const { __value, ruleID } = client.getLayer(id);
    return { value: __value, ruleID };
  });
  client.logEvent("page_view", "1", { title: "Übersicht" });
  await client.flush();
  await client.shutdown();
  return answers;
}

interface PageCall {
  readonly key: string;
  readonly api: string;
  readonly user: AnyObject;
  readonly ids: readonly (readonly [EntityPart, string])[];
}

describe.skipIf(chromium === undefined || !hasPackages("@statsig/js-client"))("js-client", () => {
  const page = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html").end(`<script>${readFileSync(script)}</script>`);
  });
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  });
  afterAll(() => void page.close());

  it("in a page of another origin gets the oracle's answers, and sends events", async () => {
    const world = randomWorld(7_919);
    const { service, base } = await serveWorld(world, [origin]);
    const browser = await startChromium(String(chromium));
    const tab = await browser.newPage();
    await tab.goto(origin);
    const ids: PageCall["ids"] = [
      ...Object.keys(world.gates).map((id) => ["gate", id] as const),
      ...[...Object.keys(world.configs), ...Object.keys(world.experiments)].map(
        (id) => ["config", id] as const,
      ),
      ...Object.keys(world.layers).map((id) => ["layer", id] as const),
    ];
    const users = usersOf(1, propertyRuns(100));
    const known = new Map<AnyObject, readonly Answer[]>();
    for (const user of users) {
      const call = { key: service.keys.client, api: `${base}/v1`, user, ids };
      known.set(user, await tab.evaluate(askAll, call));
    }
    await expectOracle(world, users, (part, user, id) => {
      const at = ids.findIndex(([onePart, one]) => onePart === part && one === id);
      return known.get(user)?.[at] as Answer;
    });
    await browser.close();
    const counts = await service.store.events.counts({ from: undefined, to: undefined }, 100);
    const views = counts.filter(({ event }) => event === "page_view");
    expect(views.map(({ count }) => count).reduce((left, right) => left + right)).toBe(
      users.length,
    );
    await service.close();
  });
});
