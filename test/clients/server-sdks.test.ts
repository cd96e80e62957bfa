import { describe, expect, it, vi } from "vitest";
import { randomWorld } from "../evaluation/random-world.js";
import { propertyRuns } from "../support/property-runs.js";
import { hasPackages } from "./packages.js";
import { changedWorld, expectOracle, serveWorld, storeWorld, usersOf } from "./served-world.js";
import { startCoreSdk, startNodeSdk } from "./server-sdks.js";

const sdks = [
  ["statsig-node", startNodeSdk],
  ["@statsig/statsig-node-core", startCoreSdk],
] as const;

describe.each(sdks)("%s", (name, start) => {
  it.skipIf(!hasPackages(name))(
    "decides as the oracle does for 2,000 users, before and after changes",
    async () => {
      const worlds = propertyRuns(10);
      let answers = 0;
      for (let seed = 1; seed <= worlds; seed += 1) {
        const world = randomWorld(seed * 7_919);
        const { service, base } = await serveWorld(world);
        const sdk = await start({ base, secret: service.keys.server });
        answers += await expectOracle(world, usersOf(seed, 200), sdk.ask);
        const changed = changedWorld(world);
        await storeWorld(service.store, changed);
        await vi.waitFor(
          async () => {
            await sdk.sync();
            answers += await expectOracle(changed, usersOf(seed, 20), sdk.ask);
          },
          { timeout: 60_000, interval: 200 },
        );
        await sdk.close();
        await service.close();
      }
      expect(answers).toBeGreaterThan(worlds * 200 * 20);
    },
  );
});
