import { describe, expect, test } from "vitest";
import { Spares } from "../../src/batch/spares.js";

class Tool {
  isFree = false;

  constructor(readonly size: number) {}

  free(): void {
    this.isFree = true;
  }
}

class OtherTool extends Tool {}

describe("what has no user", () => {
  test("goes to the next one that needs it, and to no other", () => {
    const spares = new Spares();
    const tool = new Tool(1);
    spares.keep(tool);
    expect(spares.take(OtherTool, () => true)).toBeUndefined();
    expect(spares.take(Tool, ({ size }) => size === 1)).toBe(tool);
    expect(spares.take(Tool, () => true)).toBeUndefined();
    expect(tool.isFree).toBe(false);
  });

  test("is freed where it does not fit, or something else of its class comes", () => {
    const spares = new Spares();
    const tools = [1, 2, 3].map((size) => new Tool(size));
    for (const tool of tools) spares.keep(tool);
    expect(tools.map(({ isFree }) => isFree)).toEqual([true, true, false]);
    expect(spares.take(Tool, ({ size }) => size === 1)).toBeUndefined();
    expect(tools.map(({ isFree }) => isFree)).toEqual([true, true, true]);
  });
});
