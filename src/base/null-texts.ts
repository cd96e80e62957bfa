/** Texts that programs write for null in CSV. The unquoted `\N` is null anyway. */
export const nullTexts: readonly string[] =
  "NULL Null null (null) (NULL) <null> <NULL> None NONE nil Nil \\N".split(" ");
