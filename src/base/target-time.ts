/** Numbers below it are seconds: the rule of `timeOf` in src/evaluation/condition-spec.ts. */
const SECONDS_MAX = 10_000_000_000;

/** Returns the time of a target in ms since the epoch, as it is evaluated; NaN if it is not a time. */
export function targetTime(target: string): number {
  if (target === "") return Number.NaN;
  const number = Number(target);
  if (Number.isNaN(number)) return Date.parse(target);
  return Math.abs(number) < SECONDS_MAX ? number * 1000 : number;
}

/** Returns the target of a time in ms since the epoch. */
export function targetOf(time: number): number {
  return Math.abs(time) < SECONDS_MAX ? time / 1000 : time;
}
