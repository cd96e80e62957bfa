export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The values of one key in a list of results. */
export function figures(results, key) {
  return results.map((result) => result[key]);
}

/** `1,234,567`: no digit after the point. */
export function whole(value) {
  return Math.round(value).toLocaleString("en-US");
}

export function percent(part) {
  return `${whole(100 * part)} %`;
}
