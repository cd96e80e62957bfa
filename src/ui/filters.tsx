import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";

/** Controls that narrow a list. Each acts by itself, so Enter sends nothing. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <search>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {children}
      </form>
    </search>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (value: string) => void;
  readonly type?: "text" | "date" | "number";
  readonly placeholder?: string;
  /** Values that are suggested. */
  readonly suggestions?: readonly string[];
  readonly disabled?: boolean;
}

/** A text that narrows a list once it is left or Enter is pressed. */
export function FilterField({ label, value, onCommit, type = "text", ...props }: FilterFieldProps) {
  const { suggestions, placeholder, disabled = false } = props;
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label class="inline-field">
      {label}
      <input
        // The types of JSX know no input whose type is a variable.
        type={type as "text"}
        value={text}
        placeholder={placeholder}
        disabled={disabled}
        list={suggestions === undefined ? undefined : id}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => onCommit(currentTarget.value)}
      />
      {suggestions !== undefined && (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}
