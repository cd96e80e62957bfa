// Reasons why rows are rejected, for all kernels. The same names and numbers as `rejectCodes` in
// src/base/reject-codes.ts, as far as kernels need them; test/batch/kernel-constants.test.ts
// compares.

export const MALFORMED_ROW: u8 = 1;
export const ROW_NOT_OBJECT: u8 = 2;
export const INVALID_UTF8: u8 = 3;
export const ROW_TOO_DEEP: u8 = 4;
export const ROW_TOO_LONG: u8 = 5;
export const RAGGED_ROW: u8 = 6;
export const EVENT_MISSING: u8 = 10;
export const EVENT_NOT_TEXT: u8 = 11;
export const TIME_MISSING: u8 = 12;
export const TIME_UNPARSABLE: u8 = 13;
export const TIME_OUT_OF_RANGE: u8 = 14;
export const UNIT_ID_MISSING: u8 = 15;
export const UNIT_ID_NOT_TEXT: u8 = 16;
export const VALUE_NOT_SCALAR: u8 = 19;
export const TARGET_VALUE_LONG: u8 = 23;
export const TARGET_METADATA_LONG: u8 = 24;
