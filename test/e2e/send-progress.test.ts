import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { FakeClock } from "../report/fake-clock.js";
import { fakeContext } from "../support/fake-context.js";
import { FaultyService } from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { testSecret } from "../support/send-command.js";

const ROWS = 2_000;
const ANSWERED = 50;

test.each([
  ["plain lines", false, 5_000],
  ["a terminal", true, 200],
])("%s show what was delivered of a batch that is still on its way", async (_, isTTY, stepMs) => {
  const directory = scratchDirectory("send-progress");
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  const service = new FaultyService(({ index }) => (index < ANSWERED ? accepted : "mute"));
  const url = await service.listen();
  const clock = new FakeClock();
  const written: string[] = [];
  const { context, controller } = fakeContext(
    {},
    {
      currentDirectory: directory,
      environment: { SWITCHYARD_SERVER_SECRET: testSecret },
      clock,
      stderr: { write: (text) => written.push(text), isTTY, columns: 200, rows: 24 },
    },
  );
  const ended = runCommandLine(["send", "rows.jsonl", "--to", url], context);
  await vi.waitFor(
    () => {
      clock.advance(stepMs);
      expect(written.join("")).toMatch(/50 rows .* · 50 delivered · .*2\.5 %/);
    },
    { interval: 5, timeout: 90_000 },
  );
  controller.abort();
  expect(await ended).toBe(130);
});
