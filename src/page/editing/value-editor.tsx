import { useEffect, useRef } from "preact/hooks";
import type { CodeEditor } from "../../ui/code-editor.js";
import { Field } from "../../ui/fields.js";

interface ValueEditorProps {
  readonly label: string;
  /** JSON5. */
  readonly value: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly disabled?: boolean;
  readonly onInput: (value: string) => void;
}

/** An editor of JSON5. It is loaded when the first value is shown. */
export function ValueEditor(props: ValueEditorProps) {
  const { value, label, hint = "", fault, disabled = false, onInput } = props;
  const description = [fault, hint].filter(Boolean).join(". ");
  const isInvalid = fault !== undefined;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onInput);
  latest.current = onInput;
  const editor = useRef<CodeEditor | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    void import("../../ui/code-editor.js").then(({ createCodeEditor }) => {
      if (isGone || place.current === null) return;
      editor.current = createCodeEditor(place.current, {
        text: value,
        label,
        description,
        isInvalid,
        isReadOnly: disabled,
        onInput: (text) => latest.current(text),
      });
    });
    return () => {
      isGone = true;
      editor.current?.end();
      editor.current = undefined;
    };
  }, [disabled]);
  useEffect(() => editor.current?.setText(value), [value]);
  useEffect(() => editor.current?.describe(description, isInvalid), [description, isInvalid]);
  return <Field {...props}>{({ id }) => <div class="value-editor" id={id} ref={place} />}</Field>;
}
