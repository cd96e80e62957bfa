/** `T` with all of its fields and lists read-only, at every depth. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
