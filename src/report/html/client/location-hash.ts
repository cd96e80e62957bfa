/** What the part of the address after `#` says about the page. */
export interface PageAddress {
  /** Name of the event whose page it is; absent on the overview. */
  readonly event?: string;
  /** Days `YYYY-MM-DD`, both included; absent where the address names none. */
  readonly from?: string;
  readonly to?: string;
  /** Part of the overview. */
  readonly section?: string;
}

/** Any text is an address: what is none of ours is the overview. */
export function parseHash(hash: string): PageAddress {
  const text = hash.replace(/^#/, "");
  if (/^[a-z-]*$/.test(text)) return text === "" ? {} : { section: text };
  const fields = new URLSearchParams(text);
  const [event, from, to] = ["event", "from", "to"].map((name) => fields.get(name));
  return {
    ...(typeof event === "string" ? { event } : {}),
    ...(typeof from === "string" && typeof to === "string" ? { from, to } : {}),
  };
}

/** Halves of surrogate pairs become U+FFFD, as an address cannot hold them. */
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

/** A name as it comes out of an address again. */
export function nameInAddress(name: string): string {
  return new URLSearchParams(formatHash({ event: name }).slice(1)).get("event") ?? "";
}
