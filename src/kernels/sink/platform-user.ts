// The user as bucket ingestion takes it, `{"userID":"…","customIDs":{"stableID":"…"},"custom":{…}}`,
// from the user of an event, `{"userID":"…","stableID":"…",…}`. Fields of the target that the mapper put
// behind the ids are at the top level, before `custom`.

import { Column, KIND_STRING } from "../column";
import { skipString } from "../json/json-value";
import { copyWide } from "../utf8";
import { skipUserFields, UserRules } from "../target/user-rules";
import { delivered } from "./row-buffer";

// "userID":"
const USER_ID: usize = memory.data<u8>([0x22, 0x75, 0x73, 0x65, 0x72, 0x49, 0x44, 0x22, 0x3a, 0x22]);
const USER_ID_BYTES: usize = 10;
// "stableID":"
const STABLE_ID: usize = memory.data<u8>([
  0x22, 0x73, 0x74, 0x61, 0x62, 0x6c, 0x65, 0x49, 0x44, 0x22, 0x3a, 0x22,
]);
const STABLE_ID_BYTES: usize = 12;
// "customIDs":{
const CUSTOM_IDS: usize = memory.data<u8>([
  0x22, 0x63, 0x75, 0x73, 0x74, 0x6f, 0x6d, 0x49, 0x44, 0x73, 0x22, 0x3a, 0x7b,
]);
const CUSTOM_IDS_BYTES: usize = 13;
// "custom":{
const CUSTOM: usize = memory.data<u8>([0x22, 0x63, 0x75, 0x73, 0x74, 0x6f, 0x6d, 0x22, 0x3a, 0x7b]);
const CUSTOM_BYTES: usize = 10;

/** Returns the end of the member at `p` if it begins with a key; `p` if it does not. */
@inline
function skipMember(p: usize, end: usize, key: usize, keyBytes: usize): usize {
  if (p + keyBytes > end || memory.compare(p, key, keyBytes) != 0) return p;
  const quote = skipString(p + keyBytes, end);
  return quote == 0 ? p : quote + 1;
}

@inline
function skipComma(p: usize, end: usize): usize {
  return p < end && load<u8>(p) == 0x2c ? p + 1 : p;
}

function isBlank(start: usize, end: usize): bool {
  for (let p = start; p < end; p++) {
    if (load<u8>(p) > 0x20) return false;
  }
  return true;
}

/** Writes a comma unless it would be the first byte after the brace at `start`. */
@inline
function separate(start: usize, t: usize): usize {
  if (t == start + 1) return t;
  store<u8>(t, 0x2c);
  return t + 1;
}

/**
 * Writes the users of the delivered rows [from, to) to `data`, at most 27 bytes more for each than
 * it has and up to 63 bytes past the end, and describes them in `target`. `fields`: 0 if the mapper
 * did not move any.
 */
export function makePlatformUsers(
  outcomes: usize,
  users: usize,
  from: i32,
  to: i32,
  target: usize,
  data: usize,
  fields: usize,
): void {
  const texts = changetype<Column>(users);
  const made = changetype<Column>(target);
  for (let row = from; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    const start = data;
    const userID = texts.start(row) + 1;
    const end = userID + texts.length(row) - 2;
    store<u8>(data, 0x7b);
    let t = data + 1;
    const userIDEnd = skipMember(userID, end, USER_ID, USER_ID_BYTES);
    t = copyWide(t, userID, userIDEnd - userID);
    const stableID = userIDEnd == userID ? userID : skipComma(userIDEnd, end);
    const stableIDEnd = skipMember(stableID, end, STABLE_ID, STABLE_ID_BYTES);
    if (stableIDEnd != stableID) {
      t = copyWide(separate(start, t), CUSTOM_IDS, CUSTOM_IDS_BYTES);
      t = copyWide(t, stableID, stableIDEnd - stableID);
      store<u8>(t++, 0x7d);
    }
    let rest = stableIDEnd == stableID ? stableID : skipComma(stableIDEnd, end);
    if (fields != 0) {
      const first = rest;
      rest = skipUserFields(changetype<UserRules>(fields), rest, end);
      // The comma after the fields is not copied.
      if (rest != first) {
        t = copyWide(separate(start, t), first, rest - first - (load<u8>(rest - 1) == 0x2c ? 1 : 0));
      }
    }
    if (!isBlank(rest, end)) {
      t = copyWide(separate(start, t), CUSTOM, CUSTOM_BYTES);
      t = copyWide(t, rest, end - rest);
      store<u8>(t++, 0x7d);
    }
    store<u8>(t++, 0x7d);
    made.set(row, KIND_STRING, start, t - start);
    data = t;
  }
}
