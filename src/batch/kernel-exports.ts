/**
 * What the WebAssembly module exports, file by file of src/kernels. Addresses and lengths are byte
 * positions in the kernel's memory; each function is described where it is written.
 */
export interface KernelExports
  extends Utf8Kernels,
    JsonKernels,
    EventKernels,
    TimeKernels,
    DayKernels,
    UserKernels,
    NameFilterKernels,
    PrivacyKernels,
    CsvKernels,
    SegmentKernels,
    SpillKernels,
    TextKernels,
    CensusKernels,
    ProfileKernels,
    ParquetKernels,
    ParquetPageKernels,
    SnappyKernels,
    InflateKernels,
    ChecksumKernels,
    ArrowCellKernels {
  readonly heapBase: WebAssembly.Global;
}

export interface Utf8Kernels {
  validateUtf8(start: number, end: number): number;
}

export interface JsonKernels {
  skipValue(start: number, end: number): number;
  setScratch(scratch: number, kept: number): void;
  scanCells(cells: number, rows: number, node: number): void;
  scanLines(scan: number): number;
  scanValues(scan: number): number;
  skipLongRow(scan: number): number;
}

/** Columns are addresses of descriptors; `outcomes` is the address of one u8 for each row. */
export interface EventKernels {
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

export interface TimeKernels {
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

export interface DayKernels {
  fillDays(times: number, outcomes: number, rows: number, offsetMs: number, days: number): void;
  findDayRange(days: number, rows: number, result: number): void;
  fillOrder(order: number, rows: number): void;
  sortByDay(
    source: number,
    target: number,
    days: number,
    rows: number,
    first: number,
    shift: number,
  ): void;
  findDayEnd(order: number, days: number, place: number, rows: number): number;
  findTimeRange(times: number, order: number, from: number, to: number, result: number): void;
}

export interface UserKernels {
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

export interface NameFilterKernels {
  filterEvents(filter: number, outcomes: number, event: number, rows: number): void;
}

export interface PrivacyKernels {
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

export interface CsvKernels {
  scanRecords(scan: number): number;
  findLineEnd(start: number, end: number): number;
  quotedCellBytes(source: number, rows: number): number;
  quoteCells(source: number, target: number, rows: number, to: number): number;
  joinCells(
    members: number,
    count: number,
    faults: number,
    target: number,
    rows: number,
    to: number,
  ): number;
}

export interface SegmentKernels {
  measureRows(
    outcomes: number,
    columns: number,
    columnCount: number,
    from: number,
    to: number,
    bytesMax: number,
    rowsMax: number,
    result: number,
  ): void;
  gatherCells(...gathering: Gathering): number;
  gatherScalarText(...gathering: Gathering): number;
  gatherTimestamps(
    outcomes: number,
    timestamps: number,
    from: number,
    to: number,
    target: number,
  ): void;
}

type Gathering = [
  outcomes: number,
  source: number,
  from: number,
  to: number,
  target: number,
  targetRow: number,
  data: number,
];

export interface SpillKernels {
  describeRows(
    columns: number,
    columnCount: number,
    timestamps: number,
    count: number,
    target: number,
  ): number;
  measurePack(
    rows: number,
    columnCount: number,
    order: number,
    from: number,
    to: number,
    bytesMax: number,
    result: number,
  ): void;
  packRows(
    rows: number,
    columnCount: number,
    order: number,
    from: number,
    to: number,
    target: number,
  ): number;
  /** A signed 32-bit number. */
  checksumPack(start: number, length: number, day: number, rows: number): number;
  choosePacks(
    files: number,
    fileCount: number,
    groupBytes: number,
    bytesMax: number,
    rowsMax: number,
    result: number,
  ): void;
  measureStretch(files: number, index: number, place: number, result: number): void;
  unpackDays(
    files: number,
    fileCount: number,
    columns: number,
    columnCount: number,
    timestamps: number,
    days: number,
    result: number,
  ): number;
}

export interface TextKernels {
  measureLine(columns: number, row: number): number;
  encodeLines(
    columns: number,
    timestamps: number,
    order: number,
    from: number,
    to: number,
    target: number,
    bytesMax: number,
    result: number,
  ): void;
  measureRecord(columns: number, row: number): number;
  encodeRecords(
    columns: number,
    timestamps: number,
    order: number,
    from: number,
    to: number,
    target: number,
    bytesMax: number,
    safe: number,
    result: number,
  ): void;
}

/** `census` is the address of a census; `days` of one i32 and `timestamps` of one double for each row. */
export interface CensusKernels {
  clearCensus(census: number): void;
  clearPairs(census: number): void;
  addName(census: number, start: number, length: number): number;
  countOutcomes(outcomes: number, rows: number, outcome: number): number;
  countEvents(
    census: number,
    outcomes: number,
    event: number,
    days: number,
    timestamps: number,
    rows: number,
  ): void;
}

/** All are addresses but counts, masks and the time, which is in milliseconds since 1970 UTC. */
export interface ProfileKernels {
  profileRows(profile: number, rows: number, now: number): void;
  junkHash(start: number, length: number): number;
  clearCounts(counts: number): void;
  moveIds(set: number, slots: number, mask: number): void;
}

export interface ParquetKernels {
  measurePlain(
    column: number,
    order: number,
    from: number,
    to: number,
    bytesMax: number,
    result: number,
  ): void;
  encodePlain(column: number, order: number, from: number, to: number, target: number): number;
  encodeTimestamps(
    timestamps: number,
    order: number,
    from: number,
    to: number,
    target: number,
  ): number;
  encodeLevels(
    column: number,
    order: number,
    from: number,
    to: number,
    scratch: number,
    target: number,
  ): number;
  encodeHybrid(
    values: number,
    count: number,
    bitWidth: number,
    runs: number,
    target: number,
  ): number;
  hybridBytesMax(count: number, bitWidth: number): number;
  buildDictionary(
    column: number,
    order: number,
    from: number,
    to: number,
    values: number,
    bytesMax: number,
    indexes: number,
    table: number,
    tableBits: number,
    result: number,
  ): void;
}

/** Pages, windows and nodes are addresses; faults are `pageFaults` of src/batch/page-cursor.ts. */
export interface ParquetPageKernels {
  readPageRows(page: number, window: number, at: number, rows: number): number;
  listPlainBytes(start: number, end: number, count: number, texts: boolean, target: number): number;
  unpackDeltas(
    start: number,
    end: number,
    countMax: number,
    width: number,
    stride: number,
    target: number,
  ): number;
  deltaCount(): number;
  listDeltaLengths(list: number, count: number, start: number, end: number): number;
  sumLengths(lengths: number, rows: number): number;
  countRowStarts(repeats: number, entries: number): number;
  entriesOfRows(repeats: number, entries: number, rows: number): number;
  unfoldLists(depths: number, last: number, window: number, first: number, count: number): void;
}

export interface SnappyKernels {
  snappyDecompress(source: number, length: number, target: number, size: number): number;
  snappyBytesMax(length: number): number;
  snappyCompress(source: number, length: number, target: number): number;
}

/** `stream` is the address of a stream as `Inflater` lays it out. */
export interface InflateKernels {
  inflate(stream: number): number;
}

/** `checksum` is the address of a checksum as `Checksum` lays it out. */
export interface ChecksumKernels {
  beginChecksum(checksum: number): void;
  addToChecksum(checksum: number, source: number, bytes: number): void;
  endChecksum(checksum: number, target: number): void;
}

/** Nodes, columns and faults are addresses. */
export interface ArrowCellKernels {
  pointTexts(node: number, rows: number, column: number, faults: number): void;
  writeCells(
    node: number,
    rows: number,
    json: boolean,
    column: number,
    faults: number,
    target: number,
  ): number;
  maskCells(node: number, rows: number, column: number): void;
  dropFaulty(faults: number, rows: number, column: number): void;
  writeRow(node: number, row: number, target: number): number;
  escapedSize(start: number, length: number): number;
  escapedSizes(node: number, rows: number): number;
}
