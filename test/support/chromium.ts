import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * The path of the browser that opens pages: CHROMIUM, or the system's Chromium. Undefined if there is
 * none, which is an error in CI, as nothing would be tested.
 */
export function findChromium(): string | undefined {
  const found = [process.env["CHROMIUM"], ...places].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (found !== undefined) return found;
  if (process.env["CI"] === "true")
    throw new Error("there is no Chromium: install it, or set CHROMIUM");
  console.warn("There is no Chromium, so pages are not opened: install it, or set CHROMIUM.");
  return undefined;
}

export function startChromium(executablePath: string): Promise<Browser> {
  // Containers run as root, where Chromium's own sandbox does not start.
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--disable-software-rasterizer",
    ],
  });
}
