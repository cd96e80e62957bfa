/** A value of an answer that is JSON text already: it goes out as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON text of an object; members that are `JsonText` are taken over. undefined members are left out. */
export function objectText(members: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const text = value instanceof JsonText ? value.text : JSON.stringify(value);
    parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}
