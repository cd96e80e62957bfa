/**
 * Returns a function that makes its value at the first call and returns the same one from then on. For
 * values that take time to make and that most runs do not use, such as schemas.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
