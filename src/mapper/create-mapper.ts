import type { Kernel } from "../batch/kernel.js";
import { planFields } from "./field-plan.js";
import type { Mapper } from "./mapper.js";
import type { MapperOptions } from "./mapper-options.js";
import { RowMapper } from "./row-mapper.js";

/** Throws `UsageError` for options that cannot be used. */
export function createMapper(kernel: Kernel, options: MapperOptions): Mapper {
  if (options.privacy !== undefined || options.transform !== undefined) {
    throw new Error("privacy and transforms are not mapped yet");
  }
  const plan = planFields(options.mapping);
  const rows = new RowMapper(kernel, options, plan);
  return {
    fields: plan.fields,
    map: (batch) => rows.map(batch),
    get notices() {
      const { userID, stableID } = rows.collisions;
      return { userID_property_replaced: userID, stableID_property_replaced: stableID };
    },
  };
}
