import { SwitchyardError } from "../../base/errors.js";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What it means that the system refused an address; other errors are handed back as they are. */
export function listenError(error: unknown, { host, port }: Address): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new SwitchyardError(
        "port_in_use",
        `another program listens on ${host}:${port}: stop it, or choose another --port (0 takes a free one)`,
        { cause: error },
      );
    case "EACCES":
    case "EPERM":
      return new SwitchyardError(
        "port_forbidden",
        `the system does not let this user listen on ${host}:${port}: choose a --port from 1024 on`,
        { cause: error },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new SwitchyardError(
        "host_unknown",
        `${host} is no address of this machine (${code}): choose another --host`,
        { cause: error },
      );
    default:
      return error;
  }
}
