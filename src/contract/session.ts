import { z } from "zod";
import { entityEnvelope, messageEnvelope } from "./common.js";
import { flag, text, textList, withRule } from "./fields.js";
import { consoleRoutes, extension, noParams, noQuery, type Route } from "./route.js";

const session = z
  .object({
    keyID: text("Identifier of the key."),
    name: text("Name of the key: the writer of its changes."),
    owner: text("Who answers for the key.").nullable(),
    scopes: textList("Scopes of the key: `read`, `write`, or parts such as `gates:write`."),
    isReadOnly: flag("True if no scope allows a write."),
    expiresTime: z
      .int()
      .nullable()
      .describe("Time from which the session, or the key of the header, is refused, in ms."),
  })
  .describe("The caller: the key that it acts with.");

const signIn = withRule(
  z.object({
    key: text("A console key.").exactOptional(),
    ticket: text(
      "The part after `#` of a link that the service printed. It works once, for a short time.",
    ).exactOptional(),
  }),
  (body) => {
    const { key, ticket } = (body ?? {}) as { readonly key?: unknown; readonly ticket?: unknown };
    if ((key === undefined) !== (ticket === undefined)) return [];
    return [{ path: ["key"], message: "Send key or ticket, and not both" }];
  },
);

const onSession = consoleRoutes("Session", "/console/v1/session", noParams);

/** Sessions of the web console: a cookie stands for a key. */
export const sessionRoutes = {
  createSession: {
    ...extension,
    method: "POST",
    path: "/console/v1/session",
    access: "public",
    summary: "Sign in with a console key or a ticket, and get the cookie of a session",
    group: "Session",
    params: noParams,
    query: noQuery,
    body: signIn,
    status: 200,
    message: "Signed in successfully.",
    response: entityEnvelope(session),
  },
  readSession: onSession("GET", "", "Read who the caller is", {
    ...extension,
    right: "none",
    message: "Session read successfully.",
    query: noQuery,
    response: entityEnvelope(session),
  }),
  deleteSession: onSession("DELETE", "", "Sign out: end the session of the cookie", {
    ...extension,
    right: "none",
    message: "Signed out successfully.",
    query: noQuery,
    response: messageEnvelope,
  }),
} as const satisfies Record<string, Route>;

export type Session = z.output<typeof session>;
