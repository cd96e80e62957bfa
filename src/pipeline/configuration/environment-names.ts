import { suggestion } from "../../base/schema.js";
import { environmentNameOf, optionNames } from "./option-names.js";
import {
  CONSOLE_KEY_VARIABLE,
  type Environment,
  HASH_SALT_VARIABLE,
  SERVER_SECRET_VARIABLE,
} from "./secrets.js";

const PREFIX = "SWITCHYARD_";

const known: readonly string[] = [
  ...optionNames.map(environmentNameOf),
  HASH_SALT_VARIABLE,
  SERVER_SECRET_VARIABLE,
  CONSOLE_KEY_VARIABLE,
  "SWITCHYARD_DEBUG",
];

/** Returns a note for each variable that has the program's prefix and no meaning. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => `${name} has no meaning and is ignored${suggestion(name, known)}`);
}
