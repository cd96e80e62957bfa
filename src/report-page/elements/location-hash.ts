/** The part of the address after `#`. */
export interface PageAddress {
  /** Event whose page is shown; absent on the overview. */
  readonly event?: string;
  /** Days `YYYY-MM-DD`, both included. */
  readonly from?: string;
  readonly to?: string;
  /** Part of the overview. */
  readonly section?: string;
}

/** Parses any text; an unknown address means the overview. */
export function parseHash(hash: string): PageAddress {
  const text = hash.replace(/^#/, "");
  if (/^[a-z0-9-]*$/.test(text)) return text === "" ? {} : { section: text };
  const fields = new URLSearchParams(text);
  const [event, from, to] = ["event", "from", "to"].map((name) => fields.get(name));
  return {
    ...(typeof event === "string" ? { event } : {}),
    ...(typeof from === "string" && typeof to === "string" ? { from, to } : {}),
  };
}

/** Lone surrogates become U+FFFD, because an address cannot contain them. */
export function formatHash({ event, from, to, section }: PageAddress): string {
  if (section !== undefined) return `#${section}`;
  const fields = new URLSearchParams();
  if (event !== undefined) fields.set("event", event);
  if (from !== undefined && to !== undefined) {
    fields.set("from", from);
    fields.set("to", to);
  }
  return fields.size === 0 ? "#" : `#${fields}`;
}

/** Returns a name as it is read back from an address. */
export function nameInAddress(name: string): string {
  return new URLSearchParams(formatHash({ event: name }).slice(1)).get("event") ?? "";
}
