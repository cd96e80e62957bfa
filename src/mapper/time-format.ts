/** Formats that the time kernel reads itself and how it calls them; every other is a Luxon pattern. */
const epochUnits: ReadonlyMap<string, number> = new Map([
  ["auto", 0],
  ["s", 1],
  ["ms", 2],
  ["us", 3],
  ["ns", 4],
]);

export function isEpochFormat(format: string): boolean {
  return epochUnits.has(format);
}

/** The kernel's number of a format for which `isEpochFormat` holds. */
export function epochUnit(format: string): number {
  const unit = epochUnits.get(format);
  if (unit === undefined) throw new Error(`${format} is no format of the time kernel`);
  return unit;
}
