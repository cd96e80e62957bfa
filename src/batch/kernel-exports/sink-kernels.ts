export interface SinkKernels
  extends DayKernels,
    SegmentKernels,
    LineKernels,
    SpillKernels,
    TextKernels,
    ParquetPageKernels,
    ArrowColumnKernels,
    SnappyKernels {}

interface DayKernels {
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

interface SegmentKernels {
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

interface LineKernels {
  gatherLines(
    outcomes: number,
    columns: number,
    timestamps: number,
    from: number,
    to: number,
    target: number,
    targetTimestamps: number,
    targetRow: number,
    rowsMax: number,
    data: number,
    bytesMax: number,
    result: number,
  ): void;
  measureTexts(
    column: number,
    order: number,
    from: number,
    to: number,
    bytesMax: number,
    result: number,
  ): void;
  copyTexts(column: number, order: number, from: number, to: number, target: number): void;
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

interface SpillKernels {
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

interface TextKernels {
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

interface ParquetPageKernels {
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

interface ArrowColumnKernels {
  measureColumns(
    columns: number,
    columnCount: number,
    order: number,
    from: number,
    to: number,
    bytesMax: number,
    result: number,
  ): void;
  encodeArrowTexts(
    column: number,
    order: number,
    from: number,
    to: number,
    offsets: number,
    data: number,
    validity: number,
  ): number;
}

interface SnappyKernels {
  snappyBytesMax(length: number): number;
  snappyCompress(source: number, length: number, target: number): number;
}
