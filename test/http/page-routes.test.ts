import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const get = (url: string, encoding = "gzip") =>
  service.app.http.inject({ url, headers: { "accept-encoding": encoding } });

/** The files that the document loads. */
async function loadedFiles(): Promise<readonly string[]> {
  const { payload } = await get("/");
  return [...payload.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path));
}

test.each(["/", "/gates", "/gates/new.checkout/history", "/sign-in", "/migrations/0123456789ab"])(
  "%s is the document of the web console, without a key",
  async (path) => {
    const { statusCode, headers, payload } = await get(path);
    expect(statusCode).toBe(200);
    expect(payload).toMatch(/^<!doctype html>/);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  },
);

test("its policy allows no text to run, no other host, and no frame", async () => {
  const { headers } = await get("/");
  const policy = String(headers["content-security-policy"]).split("; ");
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
  expect(policy.join()).not.toContain("unsafe");
});

test("the document loads a script and a style, which browsers keep for ever", async () => {
  const files = await loadedFiles();
  expect(files.map((file) => file.replace(/-[\w-]+\./, "."))).toEqual([
    "/assets/style.css",
    "/assets/main.js",
  ]);
  for (const file of files) {
    const [plain, compressed] = [await get(file, "identity"), await get(file)];
    expect(plain.statusCode).toBe(200);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(compressed.headers).toMatchObject({
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
  }
});

test("the first view is at most 150 kB, compressed", async () => {
  const seen = new Set<string>();
  const follow = async (path: string): Promise<number> => {
    if (seen.has(path)) return 0;
    seen.add(path);
    const { rawPayload } = await get(path);
    const text = gunzipSync(rawPayload).toString();
    const imports = path.endsWith(".js") ? [...text.matchAll(/from"\.\/([^"]+)"/g)] : [];
    const sizes = await Promise.all(imports.map(([, name]) => follow(`/assets/${name}`)));
    return sizes.reduce((sum, size) => sum + size, rawPayload.length);
  };
  const sizes = await Promise.all((await loadedFiles()).map(follow));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(seen.size).toBeGreaterThan(2);
  expect(total).toBeLessThan(150_000);
});

test.each(["/assets/none.js", "/assets/..%2Findex.html", "/assets/index.html", "/no-such-page"])(
  "%s is not there",
  async (path) => {
    const { statusCode } = await get(path);
    expect(statusCode).toBe(404);
  },
);

test.each(["/", "/gates", "/assets/main.js"])("%s is only read", async (url) => {
  const { statusCode, headers } = await service.app.http.inject({ method: "POST", url });
  expect(statusCode).toBe(405);
  expect(headers["allow"]).toBe("GET, HEAD, OPTIONS");
});
