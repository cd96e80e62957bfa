/** Naming of options: as the flags of the command line, or by the names that programs pass. */
export type Naming = "flags" | "names";

// Noncharacters of Unicode: no text of a user has them.
const START = "\ufdd0";
const END = "\ufdd1";
const OFF = "!";

/** Returns an option for a message; `nameOptions` names it when it is known who reads the message. */
export function option(name: string): string {
  return `${START}${name}${END}`;
}

/** The same for a switch that is on by default, and must be off. */
export function optionOff(name: string): string {
  return option(`${OFF}${name}`);
}

/** Returns `--part-size` for `partSize`. */
export function flagText(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns a message with its options named. */
export function nameOptions(message: string, naming: Naming = "flags"): string {
  return message.replaceAll(/\ufdd0(!?)(\w+)\ufdd1/g, (_, off: string, name: string) => {
    if (naming === "flags") return off === "" ? flagText(name) : `--no-${flagText(name).slice(2)}`;
    return off === "" ? name : `${name}: false`;
  });
}
