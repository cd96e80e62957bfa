import { isObjectUrl } from "../store/object-url.js";
import { directoryOutput } from "./directory-output.js";
import type { Output } from "./output.js";
import type { OutputPlace } from "./output-place.js";

/** Opens an output; does not look whether it exists. Loads the code of stores only for an address in one. */
export async function openOutput(place: OutputPlace): Promise<Output> {
  if (!isObjectUrl(place.directory)) return directoryOutput(place.directory);
  const { openStoredPlace, storeOutput } = await import("./store-output.js");
  return storeOutput(await openStoredPlace(place), place.unsafeLock);
}
