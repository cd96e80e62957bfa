/** Types of JSON values, in the order in which the kernels count them. */
export const valueTypes = ["string", "number", "boolean", "object", "array", "null"] as const;
export type JsonType = (typeof valueTypes)[number];
