import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection that sends bytes as they are. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything that came back so far. */
  received(): string;
  /** Resolves when `text` has come back, or with what came once the connection is closed. */
  until(text: string): Promise<string>;
  /** Resolves with everything that came back when the service has closed the connection. */
  closed(): Promise<string>;
}

/** `url` as a server names it: `http://127.0.0.1:8080`. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  let open = true;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    wake();
  });
  await once(socket, "connect");
  // A connection that is cut may be reset; the bytes before that count.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open = false;
    wake();
  });
  const when = (done: () => boolean) =>
    new Promise<string>((resolve) => {
      const look = () => {
        if (open && !done()) return;
        waiting.delete(look);
        resolve(text);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    received: () => text,
    until: (part) => when(() => text.includes(part)),
    closed: () => when(() => false),
  };
}

/** Sends `text` on its own connection, and returns what comes back until the connection is closed. */
export async function exchange(url: string, text: string | Buffer): Promise<string> {
  const connection = await openRaw(url);
  connection.socket.write(text);
  return connection.closed();
}
