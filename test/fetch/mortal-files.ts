import { WindowFiles } from "../../src/fetch/window-files.js";
import { directoryFiles } from "../../src/output/directory-files.js";
import type { VirtualClock } from "./virtual-clock.js";

/** The end of a process. */
export class Killed extends Error {}

/** Files of a process that dies at a call: that call is made or not, and none after it. */
export class MortalFiles extends WindowFiles {
  constructor(
    directory: string,
    account: string,
    private readonly clock: VirtualClock,
    private readonly random: () => number,
    private readonly life: { left: number },
  ) {
    super(directoryFiles(directory), account);
  }

  #call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.clock.working(async () => {
      const { life } = this;
      life.left -= 1;
      if (life.left < 0 || (life.left === 0 && this.random() < 0.5)) throw new Killed();
      const result = await work();
      if (life.left === 0) throw new Killed();
      return result;
    });
  }

  override clear = () => this.#call(() => super.clear());
  override records = () => this.#call(() => super.records());
  override requestTimes = () => this.#call(() => super.requestTimes());
  override rememberRequests: WindowFiles["rememberRequests"] = (times) =>
    this.#call(() => super.rememberRequests(times));
  override names = () => this.#call(() => super.names());
  override write: WindowFiles["write"] = (bytes) => {
    this.life.left -= 1;
    return this.life.left < 0 ? Promise.reject(new Killed()) : super.write(bytes);
  };
  override discard: WindowFiles["discard"] = (file) => this.#call(() => super.discard(file));
  override keep: WindowFiles["keep"] = (file, name) => this.#call(() => super.keep(file, name));
  override record: WindowFiles["record"] = (record) => this.#call(() => super.record(record));
  override using: WindowFiles["using"] = (names, use) =>
    this.clock.working(() => super.using(names, use));
}
