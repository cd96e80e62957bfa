import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { newKeyText } from "../../src/http/key-text.js";
import { openEventStore, openSqliteStore } from "../../src/storage/sqlite-store.js";
import type { Store } from "../../src/storage/store.js";
import { randomWorld } from "../evaluation/random-world.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";
import { hasPackages } from "./packages.js";
import { changedWorld, expectOracle, storeWorld, usersOf } from "./served-world.js";
import { startCoreSdk, startNodeSdk } from "./server-sdks.js";

const data = scratchDirectory("sdk-restart");
const secret = newKeyText("server");
const env = { SWITCHYARD_SERVER_SECRET: secret };

killServicesAfterEach();

describe.each([
  ["statsig-node", startNodeSdk],
  ["@statsig/statsig-node-core", startCoreSdk],
] as const)("%s", (name, start) => {
  let store: Store;
  beforeAll(async () => {
    // Another process that writes to the same directory.
    store = await openSqliteStore(data, openEventStore);
  });
  afterAll(() => store.close());

  it.skipIf(!hasPackages(name))(
    "follows a service that is killed, changed and restarted",
    async () => {
      const world = randomWorld(7_919);
      await storeWorld(store, world);
      let service = await startServiceProcess(data, { env });
      const { url: base } = service;
      const sdk = await start({ base, secret });
      const users = usersOf(1, 50);
      await expectOracle(world, users, sdk.ask);
      const states = [changedWorld(world), world, changedWorld(world)];
      for (const [index, state] of states.entries()) {
        await service.stop("SIGKILL");
        if (index !== 1) await storeWorld(store, state);
        service = await startServiceProcess(data, { env, words: ["--listen", new URL(base).port] });
        if (index === 1) await storeWorld(store, state);
        await vi.waitFor(
          async () => {
            await sdk.sync();
            await expectOracle(state, users, sdk.ask);
          },
          { timeout: 90_000, interval: 500 },
        );
      }
      await sdk.close();
    },
  );
});
