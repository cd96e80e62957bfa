/** `1,234,567`. */
export function formatCount(count: number): string {
  // The first call of `toLocaleString` takes 10 ms.
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
