import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** Explains the field; the API's own words where there are some. */
  readonly hint?: ComponentChildren;
  /** Fault of the value. */
  readonly fault?: string | undefined;
  readonly disabled?: boolean;
}

/** The attributes of a control that connect it with its label, hint and fault. */
interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** A label, a control, and below it what is wrong with its value. */
export function Field({
  label,
  hint,
  fault,
  children,
}: FieldProps & { readonly children: (attributes: ControlAttributes) => ComponentChildren }) {
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ].join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(fault !== undefined && { "aria-invalid": true as const }),
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "password" | "search" | "datetime-local" | "date";
  readonly rows?: number;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly list?: string;
}

/** A text of one line, or of several with `rows`. */
export function TextField({ value, onInput, type = "text", rows, ...props }: TextFieldProps) {
  const { disabled = false, required = false, placeholder, list } = props;
  return (
    <Field {...props}>
      {(attributes) =>
        rows === undefined ? (
          <input
            {...attributes}
            // The types of JSX know no input whose type is a variable.
            type={type as "text"}
            value={value}
            disabled={disabled}
            required={required}
            placeholder={placeholder}
            list={list}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        ) : (
          <textarea
            {...attributes}
            rows={rows}
            value={value}
            disabled={disabled}
            placeholder={placeholder}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

interface NumberFieldProps extends FieldProps {
  readonly value: number;
  readonly onInput: (value: number) => void;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly unit?: string;
}

/** A number. Text that is not one does not change it, and gives way to it when the field is left. */
export function NumberField({
  value,
  onInput,
  min,
  max,
  step = "any",
  unit,
  ...props
}: NumberFieldProps) {
  return (
    <Field {...props}>
      {(attributes) => (
        <span class="with-unit">
          <input
            {...attributes}
            type="number"
            value={value}
            min={min}
            max={max}
            step={step}
            disabled={props.disabled ?? false}
            onInput={({ currentTarget: { valueAsNumber } }) => {
              if (!Number.isNaN(valueAsNumber)) onInput(valueAsNumber);
            }}
            // Scrolling over a focused number would change it.
            onWheel={({ currentTarget }) => currentTarget.blur()}
            onBlur={({ currentTarget }) => {
              if (Number.isNaN(currentTarget.valueAsNumber)) currentTarget.value = String(value);
            }}
          />
          {unit !== undefined && <span aria-hidden="true">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onInput: (value: string) => void;
}

/** One of some choices. A value that is not one of them is shown as it is. */
export function SelectField({ value, choices, onInput, ...props }: SelectFieldProps) {
  const isKnown = choices.some((choice) => choice.value === value);
  const all = isKnown ? choices : [{ value, label: value }, ...choices];
  return (
    <Field {...props}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={props.disabled ?? false}
          onChange={({ currentTarget }) => onInput(currentTarget.value)}
        >
          {all.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ListFieldProps extends FieldProps {
  readonly values: readonly string[];
  readonly onInput: (values: string[]) => void;
  readonly list?: string;
}

/** Several texts: each is added with Enter or a comma, and removed with its button or Backspace. */
export function ListField({ values, onInput, list, ...props }: ListFieldProps) {
  const { disabled = false } = props;
  const add = (input: HTMLInputElement) => {
    const added = input.value.split(/[,\n]/).map((text) => text.trim());
    const fresh = added.filter((text) => text !== "" && !values.includes(text));
    input.value = "";
    if (fresh.length > 0) onInput([...values, ...new Set(fresh)]);
  };
  return (
    <Field {...props}>
      {(attributes) => (
        <span class="list-field">
          {values.map((text) => (
            <span class="chip" key={text}>
              {text}
              {!disabled && (
                <button
                  type="button"
                  aria-label={`Remove ${text}`}
                  onClick={() => onInput(values.filter((one) => one !== text))}
                >
                  ×
                </button>
              )}
            </span>
          ))}
          <input
            {...attributes}
            type="text"
            disabled={disabled}
            list={list}
            placeholder={values.length === 0 ? "Type, then Enter" : ""}
            autocomplete="off"
            onKeyDown={(event) => {
              const input = event.currentTarget;
              if (event.key === "Enter" || event.key === ",") {
                event.preventDefault();
                add(input);
              } else if (event.key === "Backspace" && input.value === "") {
                onInput(values.slice(0, -1));
              }
            }}
            onBlur={({ currentTarget }) => add(currentTarget)}
          />
        </span>
      )}
    </Field>
  );
}

interface SwitchProps {
  /** The accessible name; shown only with `isLabelShown`. */
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Something that is on or off. */
export function Switch({ label, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <span aria-hidden="true">{isOn ? "On" : "Off"}</span>
    </button>
  );
}
