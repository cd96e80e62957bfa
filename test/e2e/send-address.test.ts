import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FaultyService } from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { selfSigned } from "../support/self-signed.js";
import { runSend, testSecret } from "../support/send-command.js";

const ROWS = 50;

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  return directory;
}

/** A service with a certificate for `localhost`, and a sender that trusts `authorities`. */
async function secureService(directory: string, host: string, authorities: readonly string[]) {
  const service = new FaultyService(() => accepted, selfSigned);
  const url = new URL(await service.listen());
  url.hostname = host;
  const authority = join(directory, "authorities.pem");
  writeFileSync(authority, authorities.join("\n"));
  return {
    service,
    words: ["rows.jsonl", "--to", url.href],
    env: { SWITCHYARD_SERVER_SECRET: testSecret, NODE_EXTRA_CA_CERTS: authority },
  };
}

test.each(someOf([301, 302, 303, 307, 308], 5))(
  "a redirect with %i is not followed, and nothing is sent to where it leads",
  async (status) => {
    const directory = directoryWithRows("send-redirect");
    const elsewhere = new FaultyService(() => accepted);
    const location = await elsewhere.listen();
    const service = new FaultyService(() => ({ status, headers: { location } }));
    const end = await runSend(directory, ["rows.jsonl", "--to", await service.listen()]);
    expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_redirected"]);
    expect(end.stderr).toContain(location);
    expect(elsewhere.requests).toHaveLength(0);
  },
);

describe("a certificate", () => {
  test.each([
    ["that nobody trusts", "localhost", [], "NODE_EXTRA_CA_CERTS"],
    ["of another host", "127.0.0.1", [selfSigned.cert], "pass a host that the certificate names"],
  ])("%s ends the run before the secret is sent", async (_, host, authorities, advice) => {
    const directory = directoryWithRows("send-certificate");
    const { service, words, env } = await secureService(directory, host, authorities);
    const end = await runSend(directory, words, { env });
    expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_certificate"]);
    expect(end.stderr).toContain(advice);
    expect(service.requests).toHaveLength(0);
  });

  test("that was made known as the message advises is trusted", async () => {
    const directory = directoryWithRows("send-trusted");
    const { words, env } = await secureService(directory, "localhost", [selfSigned.cert]);
    const end = await runSend(directory, words, { env });
    expect(end.json, end.stderr).toMatchObject({ delivery: { delivered: ROWS } });
  });

  test("is asked for of a service that speaks no TLS, which ends the run", async () => {
    const directory = directoryWithRows("send-no-tls");
    const service = new FaultyService(() => accepted);
    const url = (await service.listen()).replace("http:", "https:");
    const end = await runSend(directory, ["rows.jsonl", "--to", url]);
    expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_certificate"]);
    expect(end.stderr).toContain("pass http://");
    expect(service.requests).toHaveLength(0);
  });
});

test("a host that does not exist ends the run, which names it", async () => {
  const directory = directoryWithRows("send-host");
  // A label of more than 63 characters is in no name server, and none is asked for it.
  const host = `${"x".repeat(64)}.example`;
  const end = await runSend(directory, ["rows.jsonl", "--to", `https://${host}`]);
  expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_host_unknown"]);
  expect(end.stderr).toContain(host);
  expect(end.stderr).toContain("--to");
});

longTest.concurrent(
  "a closed port where nothing was accepted ends the run, and the message says how to resume",
  async () => {
    const directory = directoryWithRows("send-closed");
    const end = await runSend(directory, ["rows.jsonl", "--to", "http://127.0.0.1:9"]);
    expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_unreachable"]);
    expect(end.stderr).toContain("ECONNREFUSED");
    expect(end.stderr).toContain("run the same command again to resume");
  },
);

longTest.concurrent(
  "a closed port is waited for if the service accepted events of the run before",
  async () => {
    const directory = directoryWithRows("send-closed-later");
    const service = new FaultyService(({ index }) => (index < 20 ? accepted : { status: 401 }));
    const words = ["rows.jsonl", "--to", await service.listen()];
    expect((await runSend(directory, words)).json.error?.code).toBe("send_unauthorized");
    await service.close();
    const end = await runSend(directory, [...words, "--give-up-after", "6"]);
    expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_gave_up"]);
    expect(end.stderr).toMatch(
      /[\d.:]+ s left, waiting for the service \(attempt \d+\): connect ECONNREFUSED/,
    );
  },
);
