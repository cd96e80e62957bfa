import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

interface CodeEditorOptions {
  readonly text: string;
  /** Read aloud. */
  readonly label: string;
  /** Hint and fault, read aloud, too: elements outside of a shadow root cannot be named from it. */
  readonly description: string;
  readonly isInvalid: boolean;
  readonly isReadOnly: boolean;
  readonly onInput: (text: string) => void;
}

export interface CodeEditor {
  setText(text: string): void;
  describe(description: string, isInvalid: boolean): void;
  end(): void;
}

const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--accent)" },
  { tag: tags.propertyName, color: "var(--ink)", fontWeight: "600" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--info)" },
  { tag: tags.comment, color: "var(--soft)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "var(--ground)", color: "var(--ink)", fontSize: "0.86rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "0" },
});

/**
 * Creates an editor of JSON in an element. It lives in a shadow root, because there its styles need no
 * `<style>` element, which the page's security policy refuses. Tab leaves it.
 */
export function createCodeEditor(
  place: HTMLElement,
  { text, label, description, isInvalid, isReadOnly, onInput }: CodeEditorOptions,
): CodeEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  let shown = text;
  const attributes = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        json(),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        attributes.of(attributesOf(label, description, isInvalid)),
        EditorState.readOnly.of(isReadOnly),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          shown = update.state.doc.toString();
          onInput(shown);
        }),
      ],
    }),
  });
  return {
    setText: (next) => {
      if (next === shown) return;
      shown = next;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    describe: (next, isFaulty) =>
      view.dispatch({ effects: attributes.reconfigure(attributesOf(label, next, isFaulty)) }),
    end: () => view.destroy(),
  };
}

function attributesOf(label: string, description: string, isInvalid: boolean): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    ...(description !== "" && { "aria-description": description }),
    ...(isInvalid && { "aria-invalid": "true" }),
  });
}
