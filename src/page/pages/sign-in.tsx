import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ErrorNotice } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { hasEnded, signIn } from "../session.js";

/** Signs in by the ticket of a link, or by a key. */
export function SignIn() {
  const { path, url, route } = useLocation();
  const [key, setKey] = useState("");
  const [error, setError] = useState<Error>();
  const [isBusy, setIsBusy] = useState(false);
  const enter = async (body: { key: string } | { ticket: string }, next: string) => {
    setIsBusy(true);
    setError(undefined);
    try {
      await signIn(body);
      route(next, true);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setIsBusy(false);
    }
  };
  useEffect(() => {
    const [ticket = "", next = "/"] = location.hash.slice(1).split("~");
    if (path !== "/sign-in" || ticket === "") return;
    // The ticket must not stay in the history.
    history.replaceState(null, "", "/sign-in");
    void enter({ ticket }, decodeURIComponent(next));
  }, []);
  return (
    <main class="sign-in" id="main">
      <h1>Sign in to Switchyard</h1>
      {hasEnded.value && (
        <p class="notice" role="alert">
          Your session has ended. Sign in again on this page: edits that are not saved are kept.
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter({ key: key.trim() }, path === "/sign-in" ? "/" : url);
        }}
      >
        <TextField
          label="Console key"
          type="password"
          value={key}
          onInput={setKey}
          required
          placeholder="console-…"
          hint="The service printed one when it started for the first time. `switchyard keys create` makes another."
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
