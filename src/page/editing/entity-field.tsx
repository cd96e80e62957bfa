import { useId } from "preact/hooks";
import { TextField } from "../../ui/fields.js";
import { useLoad } from "../../ui/use-load.js";
import { kinds } from "./kinds.js";

const SUGGESTIONS_MAX = 20;

interface EntityFieldProps {
  readonly label: string;
  readonly root: keyof typeof kinds;
  /** ID of the entity. */
  readonly value: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly disabled?: boolean;
  readonly onInput: (id: string) => void;
}

/** The id of another entity; those that match are suggested. */
export function EntityField({ root, ...props }: EntityFieldProps) {
  const list = useId();
  const { value } = useLoad(`${root} ${props.value}`, (signal) =>
    kinds[root].operations.list({
      search: props.value === "" ? undefined : props.value,
      limit: SUGGESTIONS_MAX,
      signal,
    }),
  );
  return (
    <>
      <TextField {...props} list={list} />
      <datalist id={list}>
        {value?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
