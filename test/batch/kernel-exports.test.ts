import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";

const root = new URL("../../", import.meta.url);
const { kernelExportsText, presentKernelExports } = (await import(
  new URL("scripts/kernel-exports.mjs", root).href
)) as {
  kernelExportsText(index: string, read: (module: string) => string): string;
  presentKernelExports(): string;
};

const text = readFileSync(new URL("src/batch/kernel-exports.ts", root), "utf8");
const index = 'export { scan, skip } from "./json/rows";\n';

test("signatures are those of the kernels' functions", () => {
  expect(text).toBe(presentKernelExports());
});

test("signatures have the names and the parameter counts of the compiled module", () => {
  const { run } = new Kernel();
  const written = [...text.matchAll(/^ {2}(\w+)\(([^)]*)\):/gm)].map(
    ([, name, parameters = ""]) => [name, parameters.match(/\w+:/g)?.length ?? 0],
  );
  const compiled = Object.entries(run)
    .filter(([, value]) => typeof value === "function")
    .map(([name, { length }]) => [name, length]);
  expect(written.sort()).toEqual(compiled.sort());
});

test("parameters keep their names; objects are addresses and results truth values as numbers", () => {
  const module = `
export function scan(scan: RowScan, limit: u64): void {
}
/** Comment. */
export function skip(
  start: usize,
  final: bool,
): bool {
}
`;
  expect(kernelExportsText(index, () => module)).toContain(`
  // json/rows.ts
  scan(scan: number, limit: bigint): void;
  skip(start: number, final: boolean): 0 | 1;
}`);
});

test.each([
  ["export function skip(): void {", "./json/rows exports no function scan"],
  ["export function scan(row: v128): void {", 'scan takes "row: v128", which has no type'],
  ["export function scan(row: u32 = 1): void {", 'scan takes "row: u32 = 1", which has no type'],
  ["export function scan(): Row {", "scan returns Row, which has no type"],
])("a function without a signature is refused: %s", (module, message) => {
  expect(() => kernelExportsText(index, () => module)).toThrow(message);
});
