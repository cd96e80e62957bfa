// The figures of a profile: numbers of events, in the order of `figureNames` in
// src/profile/split-profile.ts.

import { Profile } from "./profile";

// The same numbers as `figureNames` give, eight bytes each.
export const BOTH: usize = 0;
export const USER_ONLY: usize = 8;
export const DEVICE_ONLY: usize = 16;
export const FUTURE: usize = 24;
export const SUSPICIOUS: usize = 32;
export const MIDNIGHT: usize = 40;
export const BYTES: usize = 48;
export const WITH_INSERT_ID: usize = 56;
export const NONE: usize = 64;
export const SAME: usize = 72;
export const DEVICE_PREFIXES: usize = 80;
export const GENERATED_ALONE: usize = 88;
export const GENERATED_BESIDE: usize = 96;
export const EMAIL_USERS: usize = 104;
export const EMAIL_DEVICES: usize = 112;

/** Adds to the figure at an offset. */
@inline
export function addFigure(profile: Profile, figure: usize, amount: f64): void {
  const at = <usize>profile.figures + figure;
  store<f64>(at, load<f64>(at) + amount);
}
