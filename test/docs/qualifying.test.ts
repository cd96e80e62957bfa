import { readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService } from "../support/service.js";

const page = readFileSync(new URL("../../docs/qualifying.md", import.meta.url), "utf8");
const sample = fileURLToPath(new URL("../../fixtures/sample", import.meta.url));

/** Words of a command line: quotes keep spaces and wildcards together. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
}

test("the session of docs/qualifying.md goes as the page shows it", async () => {
  const sessions = [...page.matchAll(/^```console\n\$ switchyard (.*)\n([\s\S]*?)^```$/gm)];
  expect(sessions.length).toBeGreaterThan(4);
  const service = await startTestService();
  const directory = await realpath(scratchDirectory("qualifying"));
  try {
    const url = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
    for (const [, command = "", shown = ""] of sessions) {
      const words = wordsOf(
        command.replace("downloads", sample).replace("http://127.0.0.1:8080", url),
      );
      const env = { SWITCHYARD_CONSOLE_KEY: service.keys.console };
      const { exitCode, stdout } = await runInProcess(words, { cwd: directory, env });
      const seen = stdout
        .replaceAll(url, "http://127.0.0.1:8080")
        .replaceAll(directory, "/home/you")
        .replaceAll(sample, "downloads");
      expect({ command, exitCode, seen }).toEqual({ command, exitCode: 0, seen: shown });
    }
  } finally {
    await service.close();
  }
});
