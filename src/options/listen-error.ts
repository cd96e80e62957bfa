import { SwitchyardError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import type { OptionName } from "./option-names.js";

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Translates an error of the system for the address of an option. Returns other errors unchanged. */
export function listenError(error: unknown, { host, port }: Address, name: OptionName): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new SwitchyardError(
        "port_in_use",
        `another program listens on ${host}:${port}: stop it, or choose another port for ${option(name)} (0 selects a free one)`,
        { cause: error },
      );
    case "EACCES":
    case "EPERM":
      return new SwitchyardError(
        "port_forbidden",
        `this user may not listen on ${host}:${port}: choose a port of at least 1024 for ${option(name)}`,
        { cause: error },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new SwitchyardError(
        "host_unknown",
        `${host} is not an address of this machine (${code}): choose another address for ${option(name)}`,
        { cause: error },
      );
    default:
      return error;
  }
}
