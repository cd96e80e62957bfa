import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** The state of something that is read from the service. */
interface Loaded<Value> {
  /** Kept while it is read again, so that nothing jumps. */
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Reads it again. */
  reload(): void;
}

/**
 * Reads something when the view appears and whenever `key` changes. The answer for an earlier key is
 * dropped.
 */
export function useLoad<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, "reload">>(empty);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const end = new AbortController();
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    latest.current(end.signal).then(
      (value) => {
        if (!end.signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: Error) => {
        if (!end.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => end.abort();
  }, [key, round]);
  return { ...state, reload: useCallback(() => setRound((before) => before + 1), []) };
}

const empty = { value: undefined, error: undefined, isLoading: true } as const;
