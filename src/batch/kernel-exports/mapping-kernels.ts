export interface MappingKernels
  extends EventKernels,
    TimeKernels,
    UserKernels,
    NameFilterKernels,
    PrivacyKernels {}

/** Columns are addresses of descriptors; `outcomes` is the address of one u8 for each row. */
interface EventKernels {
  takeCells(
    target: number,
    candidate: number,
    rows: number,
    first: number,
    emptyIsNull: number,
    prefix: number,
    prefixLength: number,
    texts: number,
    textsEnd: number,
    compared: number,
  ): void;
  clearCells(target: number, rows: number): void;
  totalBytes(column: number, rows: number): number;
  checkEvents(outcomes: number, event: number, rows: number): void;
  checkIds(outcomes: number, id: number, rows: number): void;
  requireId(outcomes: number, first: number, second: number, rows: number): void;
  checkValues(outcomes: number, value: number, rows: number): void;
  cellBytes(outcomes: number, column: number, rows: number): number;
  quotedBytes(outcomes: number, column: number, rows: number): number;
  checkObjects(outcomes: number, column: number, rows: number, code: number, scratch: number): void;
  fillObjects(column: number, rows: number, empty: number): void;
}

interface TimeKernels {
  parseTimes(
    column: number,
    rows: number,
    outcomes: number,
    states: number,
    times: number,
    unit: number,
    local: number,
  ): number;
  checkTimes(
    outcomes: number,
    states: number,
    times: number,
    rows: number,
    min: number,
    max: number,
    from: number,
    to: number,
  ): void;
}

interface UserKernels {
  mergedBytes(
    outcomes: number,
    properties: number,
    userID: number,
    stableID: number,
    rows: number,
  ): number;
  mergeUsers(
    outcomes: number,
    target: number,
    properties: number,
    userID: number,
    stableID: number,
    rows: number,
    output: number,
    collisions: number,
  ): void;
  longestCell(outcomes: number, column: number, rows: number): number;
  buildObjectsOfPairs(
    pairs: number,
    outcomes: number,
    target: number,
    lists: number,
    rows: number,
    code: number,
    output: number,
  ): void;
  buildObjects(
    outcomes: number,
    target: number,
    members: number,
    count: number,
    rows: number,
    output: number,
  ): void;
}

interface NameFilterKernels {
  filterEvents(filter: number, outcomes: number, event: number, rows: number): void;
}

interface PrivacyKernels {
  redactedBytes(rule: number, outcomes: number, objects: number, rows: number): number;
  redactObjects(
    rule: number,
    outcomes: number,
    objects: number,
    rows: number,
    output: number,
  ): void;
  hashTexts(rule: number, outcomes: number, texts: number, rows: number, output: number): void;
  hashTokens(rule: number, outcomes: number, tokens: number, rows: number, output: number): void;
}
