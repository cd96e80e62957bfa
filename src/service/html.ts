/** Text that is HTML already. Only `html` and `rawHtml` make it, so nothing gets in unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: texts are escaped, lists are joined without a separator. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** A template whose values are escaped unless they are HTML; undefined leaves nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.reduce((before, part, index) => before + textOf(values[index - 1]) + part);
  return new Html(text);
}

/** Takes a text of our own as HTML. */
export function rawHtml(text: string): Html {
  return new Html(text);
}

/** `values` with `separator` between them. */
export function joined(values: readonly HtmlValue[], separator: HtmlValue): readonly HtmlValue[] {
  return values.flatMap((value, index) => (index === 0 ? [value] : [separator, value]));
}

/** The part of CommonMark that the contract's descriptions use: `code`. */
export function inlineText(text: string): readonly HtmlValue[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Paragraphs, which blank lines part. */
export function paragraphs(text: string): readonly Html[] {
  return text.split(/\n\s*\n/).map((part) => html`<p>${inlineText(part)}</p>\n`);
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join("");
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
