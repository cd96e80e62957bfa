import { z } from "zod";
import { mustBe } from "../../base/schema.js";
import * as type from "./option-types.js";

const redisUrl = type.textType(
  z
    .string()
    .refine(
      (text) => /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text),
      mustBe("the address of a Redis, such as redis://127.0.0.1:6379"),
    ),
  "<url>",
);

/** Options of the processes, threads and memory of an export; part of `optionTable`. */
export const machineOptions = {
  shard: {
    section: "export",
    type: type.shard,
    description:
      "Read only every n-th split, as process i of n (0/20 to 19/20), and write no manifest; /20 takes i from the environment of an array job",
  },
  finish: {
    section: "export",
    ...type.off,
    description: "Read nothing: merge what all shards have read, and write the manifest",
  },
  queue: {
    section: "export",
    type: redisUrl,
    description:
      "Redis that shares out the splits: processes of `switchyard worker` read them, and this one plans and finishes",
  },
  splitSize: {
    section: "export",
    type: type.size,
    description:
      "Bytes of input that one thread reads and commits at a time; with less, a kill loses less work, and parts are smaller",
    default: "64MiB",
  },
  threads: {
    section: "export",
    type: type.count(1, 256),
    description: "Worker threads",
    otherwise: "as many as the machine can run at once",
  },
  memory: {
    section: "export",
    type: type.size,
    description:
      "Memory for the whole process; if it is too small for all threads, fewer are started",
    otherwise: "half of the memory of the machine or container",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
