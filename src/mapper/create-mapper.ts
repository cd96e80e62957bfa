import { omitUndefined } from "../base/omit-undefined.js";
import type { Kernel } from "../batch/kernel.js";
import { planFields } from "./field-plan.js";
import type { Mapper } from "./mapper.js";
import type { MapperOptions } from "./mapper-options.js";
import { Privacy } from "./privacy.js";
import { RowMapper } from "./row-mapper.js";
import { TransformStage } from "./transform-stage.js";
import { TypeStage } from "./type-stage.js";

/**
 * Creates the mapper of a worker. Filters run before the transform; privacy runs last and also covers
 * what the transform returned. The mapper never frees its kernel memory. Throws `UsageError` for options
 * that are not valid.
 */
export function createMapper(kernel: Kernel, options: MapperOptions): Mapper {
  const { mapping, withInsertID, withDistinctID } = options;
  const plan = planFields(mapping, withInsertID, withDistinctID);
  const rows = new RowMapper(kernel, options, plan);
  const privacy = options.privacy && new Privacy(kernel, options.privacy);
  const { minTimeMs, maxTimeMs, types = {} } = options;
  const droppedIds: ReadonlySet<string> = privacy?.droppedIds ?? new Set();
  const limits = { minTimeMs, maxTimeMs, droppedIds, types };
  const typeStage = new TypeStage(types);
  const transform = options.transform && new TransformStage(kernel, options.transform, limits);
  return {
    fields: plan.fields,
    groups: plan.groups,
    map(batch) {
      const mapped = rows.map(batch);
      if (transform === undefined) typeStage.apply(mapped);
      const events = transform?.apply(mapped) ?? mapped;
      privacy?.apply(events);
      return events;
    },
    get notices() {
      const { userID, stableID, madeText, metadata, user } = rows.collisions;
      return {
        ...omitUndefined({ metadata_name_repeated: metadata, user_name_repeated: user }),
        userID_property_replaced: userID,
        stableID_property_replaced: stableID,
        id_property_made_text: madeText,
      };
    },
  };
}
