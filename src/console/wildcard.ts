/** Whether a name is what a pattern says: `*` is any text, `?` any character, the rest itself. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const wanted = [...pattern];
  const given = [...name];
  let place = 0;
  // Where to go on when what came after the last `*` did not fit: one character further on.
  let afterStar = -1;
  let retryAt = 0;
  for (let index = 0; index < given.length; ) {
    const one = wanted[place];
    if (one === "*") {
      afterStar = ++place;
      retryAt = index;
    } else if (one === "?" || (one !== undefined && one === given[index])) {
      place++;
      index++;
    } else if (afterStar >= 0) {
      place = afterStar;
      index = ++retryAt;
    } else {
      return false;
    }
  }
  return wanted.slice(place).every((one) => one === "*");
}
