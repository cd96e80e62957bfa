import { expect, test } from "vitest";
import { commandOptions, configurationOf } from "../../src/library/library-configuration.js";
import type { ReadEventsOptions, VerifyExportOptions } from "../../src/library/library-options.js";
import { localNameOf, type OptionName } from "../../src/options/option-names.js";
import { resolveRunOptions } from "../../src/options/run-options.js";

test("the options of stores reach the run", async () => {
  const stores = {
    s3Endpoint: "http://127.0.0.1:9000",
    s3Region: "eu-1",
    s3Checksums: "supported",
    maxRequestsPerSecond: 50,
  } as const satisfies VerifyExportOptions;
  const options: ReadEventsOptions = stores;
  const configuration = await configurationOf({ ...options, inputs: "s3://days/" }, ["export"]);
  expect(resolveRunOptions(configuration).s3).toEqual({
    endpoint: stores.s3Endpoint,
    region: stores.s3Region,
    checksums: "supported",
    requestsPerSecond: 50,
  });
});

test.each(Object.entries(commandOptions))("%s of commands is refused", async (name, reason) => {
  const refused = configurationOf({ inputs: "in", [localNameOf(name as OptionName)]: "x" }, [
    "export",
    "validate",
    "send",
  ]);
  await expect(refused).rejects.toMatchObject({
    code: "configuration_invalid",
    message: expect.stringContaining(`an option of the command line; ${reason}`),
  });
});
