import { expect, test, vi } from "vitest";
import { browserCommand, openBrowser } from "../../src/base/open-browser.js";

const url = "http://127.0.0.1:1/sign-in#a~%2Fmigrations%2F1";

test.each([
  ["linux", {}, ["xdg-open", url]],
  ["darwin", {}, ["open", url]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler", url]],
  ["linux", { BROWSER: "firefox --new-window" }, ["firefox", "--new-window", url]],
  ["darwin", { BROWSER: "w3m %s:lynx" }, ["w3m", url]],
  ["linux", { BROWSER: " " }, ["xdg-open", url]],
  ["linux", { BROWSER: "a;rm -rf /" }, ["a;rm", "-rf", "/", url]],
] as const)("on %s with %j the command is %j", (platform, environment, words) => {
  expect(browserCommand(url, environment, platform)).toEqual(words);
});

test.each([
  ["/nowhere/browser", "/nowhere/browser: ENOENT"],
  [`${process.execPath} -e process.exit(3)`, `${process.execPath} ended with 3`],
])("a browser that does not open is a reason: %s", async (BROWSER, reason) => {
  const onFailed = vi.fn();
  openBrowser(url, { BROWSER }, onFailed);
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalledWith(reason), { timeout: 30_000 });
});
