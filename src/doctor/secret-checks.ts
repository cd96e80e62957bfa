import type { Configuration } from "../options/configuration.js";
import {
  CONSOLE_KEY_VARIABLE,
  type Environment,
  HASH_SALT_VARIABLE,
  SERVER_SECRET_VARIABLE,
} from "../options/secrets.js";
import { type Check, ok, warning } from "./check.js";
import { harmlessAddress } from "./option-origins.js";

/** Names each secret that is given, where it is from and how long it is; never the secret itself. */
export function checkSecrets(
  { values, hashSalt, consoleKey, serverSecret }: Configuration,
  environment: Environment,
): readonly Check[] {
  const secrets = [
    ["salt", hashSalt, HASH_SALT_VARIABLE, values.hashSaltFile],
    ["server secret", serverSecret, SERVER_SECRET_VARIABLE, values.serverSecretFile],
    ["console key", consoleKey, CONSOLE_KEY_VARIABLE, values.consoleKeyFile],
  ] as const;
  return secrets.flatMap(([name, secret, variable, file]) => {
    if (secret === undefined) return [];
    const origin = (environment[variable] ?? "") === "" ? file : variable;
    return [ok(name, `${secret.length} characters from ${origin}`)];
  });
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] as const;

/** Tells which variables for proxies are set, because the connections to these addresses use none. */
export function checkProxies(
  addresses: readonly string[],
  environment: Environment,
): readonly Check[] {
  const names = proxyVariables
    .flatMap((name) => [name, name.toLowerCase()])
    .filter((name) => (environment[name] ?? "") !== "");
  if (names.length === 0 || addresses.length === 0) return [];
  const ways = `connections to ${addresses.join(", ")} use no proxy`;
  return [warning("proxy", `${names.join(", ")}: ${ways}; let this machine connect directly`)];
}

/** Warns of secrets that are sent to another machine without TLS. */
export function checkPlainText(addresses: readonly string[]): readonly Check[] {
  return addresses
    .filter((address) => URL.canParse(address) && isPlainRemote(new URL(address)))
    .map((address) =>
      warning("tls", `${harmlessAddress(address)}: the key is sent without TLS; use https://`),
    );
}

function isPlainRemote({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
