import { signal } from "@preact/signals";
import type { Session } from "../contract/session.js";
import { ApiError, api, whenSignedOut } from "./api/client.js";

/** Undefined until it is known; null for nobody. */
export const session = signal<Session | null | undefined>(undefined);

/** True while nobody is signed in because a session has ended, and not because its user has left. */
export const hasEnded = signal(false);

whenSignedOut(endSession);

function endSession(): void {
  if (session.value) hasEnded.value = true;
  session.value = null;
}

/** The reason why it is not known who is signed in. */
export const sessionError = signal<Error | undefined>(undefined);

/** Reads who is signed in. */
export async function readSession(): Promise<void> {
  sessionError.value = undefined;
  try {
    const { data } = await api.readSession();
    session.value = data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) endSession();
    else sessionError.value = error as Error;
  }
}

/** Signs in with a console key, or the ticket of a link. */
export async function signIn(body: { key: string } | { ticket: string }): Promise<void> {
  const { data } = await api.createSession({ body });
  session.value = data;
  hasEnded.value = false;
}

export async function signOut(): Promise<void> {
  await api.deleteSession();
  session.value = null;
}

/** Returns true if the key of the session may write a part of the API: `gates`, `keys`. */
export function mayWrite(area: string): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes("write") || scopes.includes(`${area}:write`);
}

/** Returns true if the key of the session may read a part of the API. */
export function mayRead(area: string): boolean {
  const scopes = session.value?.scopes ?? [];
  return mayWrite(area) || scopes.includes("read") || scopes.includes(`${area}:read`);
}

/** The name of the entity that is shown, by its ID. */
export const shownEntity = signal<{ readonly id: string; readonly name: string } | undefined>(
  undefined,
);
