import { type ServerResponse, STATUS_CODES } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";

/** Ways to cut the connection before the events are stored. */
const earlyBreaks = ["reset_early", "reset_within"] as const;

/** Ways to leave a request without a whole answer once its events are stored. */
const lateBreaks = [
  "reset_late",
  "half_head",
  "half_body",
  "half_chunk",
  "garbage",
  "mute",
  "head_only",
] as const;

/**
 * `reset_early` comes before the body is read, `reset_within` after its first piece, `reset_late`
 * instead of an answer; the halves are cut within head, body, and chunked body; `garbage` is not HTTP;
 * `mute` never answers, and `head_only` never sends a body.
 */
export type Break = (typeof earlyBreaks)[number] | (typeof lateBreaks)[number];

/**
 * `dribbled`: byte by byte; `read_slowly`: after the request was read with pauses; `closing`: with the
 * end of the connection announced, and `closed` with its end unannounced; `hinted`: after an
 * informational answer; `unread`: before the body is read, with the end of the connection.
 */
export const manners = ["dribbled", "read_slowly", "closing", "closed", "hinted"] as const;
export type Manner = (typeof manners)[number] | "unread";

export interface GivenAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** True if the events are stored. Default: true for a 2xx. */
  readonly isStored?: boolean;
  /** Default: at once and as usual. */
  readonly manner?: Manner;
}

/** The reaction of a service to a request. */
export type Reaction = Break | GivenAnswer;

export const accepted = { status: 202, body: { success: true } } as const satisfies GivenAnswer;

const READ_PAUSE_MS = 3;

/** True if the events of the request are stored. */
export function isStoring(reaction: Reaction): boolean {
  if (typeof reaction === "string") return lateBreaks.some((name) => name === reaction);
  const { status, isStored = status >= 200 && status < 300 } = reaction;
  return isStored;
}

/**
 * True if the sender cannot know whether events are stored: those of the request, or those that it sent
 * after it on the same connection.
 */
export function isDoubtful(reaction: Reaction): boolean {
  if (typeof reaction === "string") return true;
  const { status, manner } = reaction;
  return (status >= 500 && status !== 503) || manner === "unread" || manner === "closed";
}

/** Reads the body as slowly as the reaction says; undefined if the connection was cut. */
export async function readBody(
  response: ServerResponse,
  reaction: Reaction,
): Promise<string | undefined> {
  const { req: message } = response;
  if (reaction === "reset_early") {
    message.socket.resetAndDestroy();
    return undefined;
  }
  const isSlow = typeof reaction === "object" && reaction.manner === "read_slowly";
  const chunks: Buffer[] = [];
  for await (const chunk of message) {
    if (reaction === "reset_within") {
      message.socket.resetAndDestroy();
      return undefined;
    }
    chunks.push(chunk as Buffer);
    if (isSlow) await setTimeout(READ_PAUSE_MS);
  }
  return Buffer.concat(chunks).toString();
}

/** Sends the reaction to a request that was read. */
export async function react(response: ServerResponse, reaction: Reaction): Promise<void> {
  if (typeof reaction === "string") breakOff(response, reaction);
  else await answer(response, reaction);
}

function breakOff({ socket }: ServerResponse, reaction: Break): void {
  const { head, body } = wireText(accepted);
  switch (reaction) {
    case "reset_early":
    case "reset_within":
    case "reset_late":
      socket?.resetAndDestroy();
      break;
    case "half_head":
      socket?.end(head.slice(0, head.length / 2));
      break;
    case "half_body":
      socket?.end(head + body.slice(0, body.length / 2));
      break;
    case "half_chunk":
      socket?.end(`HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{"succ`);
      break;
    case "garbage":
      socket?.end("SSH-2.0-OpenSSH_9.2\r\n");
      break;
    case "head_only":
      socket?.write(head);
      break;
    case "mute":
      break;
  }
}

async function answer(response: ServerResponse, given: GivenAnswer): Promise<void> {
  const { status, headers, body, manner } = given;
  const { socket } = response;
  if (manner === "dribbled") {
    const whole = wireText(given);
    for (const byte of whole.head + whole.body) {
      socket?.write(byte);
      await setImmediate();
    }
    socket?.end();
    return;
  }
  if (manner === "hinted") response.writeProcessing();
  if (manner === "closing" || manner === "unread") response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body), () => {
    if (manner === "closed") socket?.end();
  });
}

/** The bytes of an answer after which the connection ends. */
function wireText({ status, headers, body }: GivenAnswer): { head: string; body: string } {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = Object.entries({
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Odd"}\r\n${lines.join("")}\r\n`;
  return { head, body: text };
}
