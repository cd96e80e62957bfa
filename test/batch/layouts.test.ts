import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const { layoutsText, presentLayouts } = (await import(
  new URL("scripts/layouts.mjs", root).href
)) as {
  layoutsText(kernels: readonly string[], users: readonly string[]): string;
  presentLayouts(): string;
};

test("layouts are those of the kernels' classes", () => {
  const text = readFileSync(new URL("src/batch/layouts.ts", root), "utf8");
  expect(text).toBe(presentLayouts());
  expect(text).toContain("export const columnLayout");
});

test("each member is at a multiple of its size", () => {
  const members = [
    "  rows: u32;",
    "  /** A comment; */",
    "  sum: f64;",
    "  day: i32;",
    "  at: Row;",
  ];
  const method = "\n  @inline\n  next(): void {\n    this.rows++;\n  }";
  const text = layoutsText(
    [`@unmanaged\nclass Row {\n${members.join("\n")}\n${method}\n}\n`],
    ["import { rowLayout }"],
  );
  expect(text).toContain(`export const rowLayout = {
  bytes: 24,
  words: { rows: 0, day: 4, at: 5 },
  doubles: { sum: 1 },
} as const;`);
});

test("only classes that TypeScript names have a layout", () => {
  expect(layoutsText(["@unmanaged\nclass Row {\n  day: i32;\n}\n"], [""])).not.toContain("day");
});

test.each([
  ["day: i16;", 'Row has no layout, for "day: i16"'],
  ["day: i32 = 1;", 'Row has no layout, for "day: i32 = 1"'],
  ["sum: f64;\n  day: i32;", "Row has 12 bytes: in an array its doubles would not be aligned"],
  ["day: i32;\n}\n@unmanaged\nclass Row {", "two classes of the kernels are called Row"],
])("a class without a layout is refused: %s", (members, message) => {
  const text = `@unmanaged\nclass Row {\n  ${members}\n}\n`;
  expect(() => layoutsText([text], ["rowLayout"])).toThrow(message);
});
