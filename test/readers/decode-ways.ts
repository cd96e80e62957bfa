import { Kernel } from "../../src/batch/kernel.js";
import { openOptions as openByZlib } from "./scratch.js";

/** By Node's zlib, by the kernel on the reader's thread, and by that of a thread beside it. */
export const ways = {
  zlib: openByZlib,
  here: { ...openByZlib, kernel: new Kernel() },
  beside: { ...openByZlib, decodesBeside: true },
} as const;
export type Way = keyof typeof ways;
export const allWays = ["zlib", "here", "beside"] as const;
