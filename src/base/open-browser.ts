import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a URL in the browser of the user: that of `BROWSER`, else the default one. Does not wait for it;
 * `onFailed` gets the reason if there is none.
 */
export function openBrowser(
  url: string,
  environment: Environment,
  onFailed: (reason: string) => void,
  platform: NodeJS.Platform = process.platform,
): void {
  const [program = "", ...words] = browserCommand(url, environment, platform);
  const child = spawn(program, words, { stdio: "ignore", detached: true });
  child.on("error", (error: NodeJS.ErrnoException) => onFailed(`${program}: ${error.code}`));
  child.on("exit", (code) => {
    if (code !== 0 && code !== null) onFailed(`${program} ended with ${code}`);
  });
  child.unref();
}

/** Returns the words of the command. No shell reads them. */
export function browserCommand(
  url: string,
  { BROWSER = "" }: Environment,
  platform: NodeJS.Platform,
): readonly string[] {
  // The convention of BROWSER: commands between colons, the best first; %s is the URL.
  const words = (BROWSER.split(":")[0] ?? "").split(/\s+/).filter((word) => word !== "");
  if (words.length > 0) {
    if (!words.some((word) => word.includes("%s"))) return [...words, url];
    return words.map((word) => word.replaceAll("%s", () => url));
  }
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
