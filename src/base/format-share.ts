/**
 * `12.3 %`, rounded; `< 0.1 %` and `> 99.9 %` where that would show a part as nothing or as the whole. The
 * whole of nothing is 100 %.
 */
export function formatShare(part: number, whole: number): string {
  const percent = whole === 0 ? 100 : (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  return `${percent.toFixed(1)} %`;
}
