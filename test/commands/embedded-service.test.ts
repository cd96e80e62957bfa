import { expect, test } from "vitest";
import { startEmbeddedService } from "../../src/commands/service/embedded-service.js";
import { scratchDirectory } from "../support/scratch.js";

test("an embedded service gives links that sign in with its ephemeral key", async () => {
  const service = await startEmbeddedService(scratchDirectory("embedded-service"), "fatal");
  try {
    const [first, second] = [service.signInUrl(), service.signInUrl()];
    expect(first).not.toBe(second);
    for (const link of [first, second]) {
      const [page, ticket] = link.split("#");
      expect(page).toBe(`${service.url}/sign-in`);
      const signedIn = await fetch(`${service.url}/console/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ticket }),
      });
      expect(await signedIn.json()).toMatchObject({ data: { keyID: "key_embedded_console" } });
      const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
      const read = await fetch(`${service.url}/console/v1/gates`, { headers: { cookie } });
      expect(read.status).toBe(200);
    }
  } finally {
    await service.stop();
  }
});
