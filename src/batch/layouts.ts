// Made by scripts/layouts.mjs from the classes of src/kernels: change those, and build. Where their
// members are: `words` (u32, i32, addresses) in units of 4 bytes, `doubles` (f64) and `longs` (u64) of 8.

export const columnLayout = {
  bytes: 12,
  words: { starts: 0, lengths: 1, kinds: 2 },
} as const;

export const joinedMemberLayout = {
  bytes: 12,
  words: { column: 0, name: 1, nameLength: 2 },
} as const;

export const csvNullTextLayout = {
  bytes: 12,
  words: { text: 0, length: 1, inQuotes: 2 },
} as const;

export const recordScanLayout = {
  bytes: 80,
  words: {
    cursor: 0, rowsEnd: 1, end: 2, final: 3, rowsMax: 4, rows: 5, delimiter: 6, quote: 7, escape: 8,
    backslashes: 9, comment: 10, cells: 11, columns: 12, rowBytesMax: 13, starts: 14, lengths: 15,
    faults: 16, cellCounts: 17, endings: 18, scratch: 19,
  },
} as const;

export const keyRowsLayout = {
  bytes: 56,
  words: {
    rows: 0, outcomes: 1, columns: 2, columnCount: 3, required: 4, timestamps: 5, days: 6,
    siblings: 7, entries: 8, buckets: 9, dayBits: 10, digestBits: 11, scalars: 12, scratch: 13,
  },
} as const;

export const keyTableLayout = {
  bytes: 28,
  words: { slots: 0, mask: 1, slice: 2, sliceMask: 3, skipped: 4, skippedCount: 5, drops: 6 },
} as const;

export const streamLayout = {
  bytes: 56,
  words: {
    input: 0, inputEnd: 1, output: 2, outputEnd: 3, history: 4, inputIsLast: 5, bitCount: 8,
    phase: 9, blockIsLast: 10, storedBytes: 11, literals: 12, distances: 13,
  },
  longs: { bits: 3 },
} as const;

export const nodeLayout = {
  bytes: 32,
  words: { entries: 2, entryCount: 3, rest: 4, columns: 5, columnCount: 6, shape: 7 },
  longs: { keyLengths: 0 },
} as const;

export const nodeEntryLayout = {
  bytes: 32,
  words: { key: 2, keyLength: 3, text: 4, json: 5, child: 6, excepted: 7 },
  longs: { prefix: 0 },
} as const;

export const rowScanLayout = {
  bytes: 88,
  words: {
    cursor: 0, end: 1, final: 2, rowsMax: 3, rows: 4, root: 5, starts: 6, lengths: 7, faults: 8,
    faultPositions: 9, scratch: 10, kept: 11, inArray: 12, depth: 13, inString: 14, rowBytesMax: 15,
    used: 16, commas: 17, commasWanted: 18, commaFaults: 19, commaFaultPosition: 20, marks: 21,
  },
} as const;

export const shapeMemberLayout = {
  bytes: 32,
  words: { length: 0, key: 1, entry: 2, constant: 3, misses: 4, wait: 5, pause: 6, column: 7 },
} as const;

export const nullTextsLayout = {
  bytes: 36,
  words: {
    empty: 0, prefix: 1, prefixLength: 2, texts: 3, textsEnd: 4, changes: 5, isJoined: 6, names: 7,
    namesEnd: 8,
  },
} as const;

export const mergeLayout = {
  bytes: 28,
  words: { parts: 0, partCount: 1, members: 2, slots: 3, names: 4, collisions: 5, starts: 6 },
} as const;

export const mergeMemberLayout = {
  bytes: 24,
  words: { name: 0, nameLength: 1, hash: 2, state: 3, first: 4, winner: 5 },
} as const;

export const filterLayout = {
  bytes: 36,
  words: {
    includes: 0, includesEnd: 1, excludes: 2, excludesEnd: 3, slots: 4, slotMask: 5, slotsLeft: 6,
    names: 7, namesEnd: 8,
  },
} as const;

export const slotLayout = {
  bytes: 16,
  words: { hash: 0, start: 1, length: 2, isOut: 3 },
} as const;

export const pairsLayout = {
  bytes: 36,
  words: {
    node: 0, table: 1, keyCount: 2, valueCount: 3, flags: 4, scratch: 5, kept: 6, records: 7,
    slots: 8,
  },
} as const;

export const ruleLayout = {
  bytes: 28,
  words: { steps: 0, textEnd: 1, action: 2, salt: 3, saltLength: 4, scratch: 5, message: 6 },
} as const;

export const objectMemberLayout = {
  bytes: 12,
  words: { column: 0, key: 1, keyLength: 2 },
} as const;

export const nestedNodeLayout = {
  bytes: 48,
  words: {
    type: 0, width: 1, option: 2, levels: 3, level: 4, offsets: 5, starts: 6, lengths: 7,
    children: 8, childCount: 9, name: 10, nameLength: 11,
  },
} as const;

export const hybridLayout = {
  bytes: 32,
  words: { next: 0, end: 1, width: 2, left: 3, packed: 4, bit: 5, runEnd: 6, value: 7 },
} as const;

export const depthLayout = {
  bytes: 20,
  words: { level: 0, levels: 1, offsets: 2, lengths: 3, count: 4 },
} as const;

export const pageCursorLayout = {
  bytes: 60,
  words: {
    form: 0, levelMax: 1, levels: 2, indexes: 3, next: 4, end: 5, width: 6, entries: 7,
    entryCount: 8, texts: 9, malformed: 10, rowsLeft: 11, valuesLeft: 12, repeatMax: 13,
    repeats: 14,
  },
} as const;

export const rowWindowLayout = {
  bytes: 20,
  words: { starts: 0, lengths: 1, levels: 2, indexes: 3, repeats: 4 },
} as const;

export const countsLayout = {
  bytes: 28,
  words: { slots: 0, mask: 1, entries: 2, count: 3, max: 4, others: 5, last: 6 },
} as const;

export const countEntryLayout = {
  bytes: 12,
  words: { number: 0, rows: 1, slot: 2 },
} as const;

export const idSetLayout = {
  bytes: 24,
  words: { slots: 0, mask: 1, count: 2, max: 3, repeated: 4, unknown: 5 },
} as const;

export const nameLayout = {
  bytes: 40,
  words: { start: 8, length: 9 },
  doubles: { rows: 0, first: 1, last: 2 },
  longs: { hash: 3 },
} as const;

export const pairLayout = {
  bytes: 12,
  words: { day: 0, name: 1, rows: 2 },
} as const;

export const pendingRowLayout = {
  bytes: 8,
  words: { day: 0, name: 1 },
} as const;

export const eventCountsLayout = {
  bytes: 68,
  words: {
    nameSlots: 0, nameMask: 1, names: 2, nameCount: 3, namesMax: 4, text: 5, textBytes: 6,
    textBytesMax: 7, pairSlots: 8, pairMask: 9, pairs: 10, pairCount: 11, pairsMax: 12,
    pairMaskMax: 13, pending: 14, pendingCount: 15, pendingMax: 16,
  },
} as const;

export const foldedIdsLayout = {
  bytes: 16,
  words: { slots: 0, bits: 1, count: 2, isCut: 3 },
} as const;

export const foldedPairsLayout = {
  bytes: 16,
  words: { slots: 0, bits: 1, count: 2, level: 3 },
} as const;

export const textEntryLayout = {
  bytes: 24,
  words: { rows: 2, length: 3, contents: 4, unused: 5 },
  longs: { hash: 0 },
} as const;

export const arenaLayout = {
  bytes: 8,
  words: { next: 0, end: 1 },
} as const;

export const frequentLayout = {
  bytes: 28,
  words: { entries: 0, index: 1, count: 2, max: 3, entryBytes: 4, taken: 5, registers: 6 },
} as const;

export const idEntryLayout = {
  bytes: 32,
  words: { rows: 2, others: 3, last: 4, length: 5, text: 6, traits: 7 },
  longs: { hash: 0 },
} as const;

export const idTableLayout = {
  bytes: 20,
  words: { slots: 0, entries: 1, texts: 2, textEnd: 3, count: 4 },
} as const;

export const idTablesLayout = {
  bytes: 16,
  words: { users: 0, devices: 1, pairs: 2, pairCount: 3 },
} as const;

export const nameUsersLayout = {
  bytes: 16,
  words: { bits: 0, count: 1, registers: 2, salt: 3 },
} as const;

export const oddIdLayout = {
  bytes: 16,
  words: { number: 2, change: 3 },
  longs: { hash: 0 },
} as const;

export const secretNameLayout = {
  bytes: 20,
  words: { start: 0, length: 1, valueBytesMin: 2, isSuffix: 3, isKey: 4 },
} as const;

export const secretNamesLayout = {
  bytes: 24,
  words: { first: 2, end: 3, scratch: 4, unused: 5 },
  longs: { endings: 0 },
} as const;

export const profileLayout = {
  bytes: 164,
  words: {
    eventCounts: 0, groups: 1, groupsMax: 2, userGroup: 3, keyIndex: 4, keyMask: 5, keys: 6,
    keyCount: 7, keysMax: 8, text: 9, textEnd: 10, arena: 11, members: 12, scratch: 13, objects: 14,
    picks: 15, candidates: 16, candidateCount: 17, largest: 18, hours: 19, rejectedDays: 20,
    users: 21, devices: 22, insertIDs: 23, idSet: 24, ids: 25, junk: 26, sizeCounts: 27,
    figures: 28, groupUsers: 29, takenUsers: 30, rows: 31, seed: 32, namesMax: 33, emptyTargets: 34,
    day: 35, rejectedRows: 36, lookedAt: 37, secretNames: 38, touched: 39, unseen: 40,
  },
} as const;

export const groupLayout = {
  bytes: 32,
  words: { bytesMax: 2, frameBytes: 3, users: 4, rows: 5, otherValues: 6, first: 7 },
  doubles: { bytes: 0 },
} as const;

export const keyLayout = {
  bytes: 152,
  words: {
    group: 8, start: 9, length: 10, isPlain: 11, isId: 12, rows: 13, bytesMin: 14, bytesMax: 15,
    next: 16, object: 17, member: 18, strings: 19, numbers: 20, booleans: 21, objects: 22,
    arrays: 23, nulls: 24, entries: 25, index: 26, count: 27, max: 28, entryBytes: 29, taken: 30,
    registers: 31, firstDay: 32, lastDay: 33, personal: 34, emails: 35, secrets: 36,
    beyondQuery: 37,
  },
  doubles: { bytes: 1, numberMin: 2, numberMax: 3 },
  longs: { hash: 0 },
} as const;

export const rowsLayout = {
  bytes: 48,
  words: {
    outcomes: 0, event: 1, userID: 2, stableID: 3, value: 4, user: 5, metadata: 6, insertID: 7,
    timestamps: 8, locals: 9, sources: 10, count: 11,
  },
} as const;

export const junkLayout = {
  bytes: 16,
  words: { userRows: 2, deviceRows: 3 },
  longs: { hash: 0 },
} as const;

export const junkIdsLayout = {
  bytes: 16,
  words: { first: 2, end: 3 },
  longs: { lengths: 0 },
} as const;

export const candidateLayout = {
  bytes: 16,
  words: { row: 2, group: 3 },
  longs: { order: 0 },
} as const;

export const textFieldLayout = {
  bytes: 16,
  words: { kind: 0, column: 1, key: 2, keyLength: 3 },
} as const;

export const textLayoutLayout = {
  bytes: 16,
  words: { fields: 0, fieldsEnd: 1, keyBytes: 2, unitMs: 3 },
} as const;

export const textEncodingLayout = {
  bytes: 36,
  words: {
    layout: 0, columns: 1, timestamps: 2, order: 3, target: 4, bytesMax: 5, safe: 6, next: 7,
    bytes: 8,
  },
} as const;

export const lineGatheringLayout = {
  bytes: 44,
  words: {
    layout: 0, target: 1, targetTimestamps: 2, targetRow: 3, rowsMax: 4, data: 5, bytesMax: 6,
    end: 7, rows: 8, bytes: 9, refusedBytes: 10,
  },
} as const;

export const dictionaryLayout = {
  bytes: 40,
  words: {
    values: 0, bytesMax: 1, indexes: 2, table: 3, tableBits: 4, done: 5, distinct: 6, bytes: 7,
    count: 8, plainBytes: 9,
  },
} as const;

export const packEntryLayout = {
  bytes: 24,
  words: { day: 2, rows: 3, bytes: 4, checksum: 5 },
  doubles: { offset: 0 },
} as const;

export const spillFileLayout = {
  bytes: 20,
  words: { entries: 0, count: 1, next: 2, end: 3, data: 4 },
} as const;

export const nameRulesLayout = {
  bytes: 16,
  words: { classes: 0, bytesMax: 1, replaces: 2, table: 3 },
} as const;

export const metadataRulesLayout = {
  bytes: 56,
  words: {
    dots: 0, nested: 1, unitsMax: 2, replaces: 3, keeps: 4, table: 5, path: 6, counted: 7,
    recent: 8, missing: 9, missingBytes: 10, output: 11, outputEnd: 12, needed: 13,
  },
} as const;

export const renameTableLayout = {
  bytes: 8,
  words: { slots: 0, mask: 1 },
} as const;

export const renameLayout = {
  bytes: 28,
  words: { hash: 0, start: 1, length: 2, newStart: 3, newLength: 4, marks: 5, rows: 6 },
} as const;

export const userPropertyLayout = {
  bytes: 20,
  words: { key: 0, length: 1, field: 2, rows: 3, next: 4 },
} as const;

export const userFieldLayout = {
  bytes: 28,
  words: { key: 0, length: 1, own: 2, isBlocked: 3, property: 4, value: 5, valueEnd: 6 },
} as const;

export const userRulesLayout = {
  bytes: 24,
  words: { properties: 0, fields: 1, fieldsEnd: 2, endings: 3, replaces: 4, keeps: 5 },
} as const;
