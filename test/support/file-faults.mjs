// Makes one call of the file system fail, or all from one on, as after a kill. Import it before the
// modules whose calls are to fail, or load it into a process with `--import`.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** Calls by their first argument: a path, or a file descriptor. */
const syncCalls =
  "open rename link unlink rm rmdir mkdir stat lstat readdir readFile writeFile truncate utimes chmod read write fstat close fsync";
const promisedCalls =
  "open rename link unlink rm rmdir mkdir stat lstat readdir readFile writeFile chmod truncate utimes";
const handleCalls = "read write writeFile readFile sync stat chmod close";

const KEY = "switchyard-file-faults";
const COUNT = 0;
/** Shared by all threads of a process: the number of calls so far. */
const shared = getEnvironmentData(KEY) ?? new Int32Array(new SharedArrayBuffer(4));
setEnvironmentData(KEY, shared);

/** @type {{ under: string, at: number, code: string } | undefined} */
let plan;
const descriptors = new Set();

function isMeant(target) {
  if (plan === undefined) return false;
  return typeof target === "number"
    ? descriptors.has(target)
    : String(target).startsWith(plan.under);
}

/** Counts a call; returns the error that it must throw. */
function faultOf(name, target) {
  if (!isMeant(target)) return undefined;
  const number = Atomics.add(shared, COUNT, 1) + 1;
  const { at, code } = plan;
  if (code === "kill" ? number < at : number !== at) return undefined;
  if (code === "kill" && plan.isProcess) process.kill(process.pid, "SIGKILL");
  const path = typeof target === "number" ? undefined : String(target);
  const system = code === "kill" ? "EIO" : code;
  return Object.assign(new Error(`${system}: injected, ${name} '${target}'`), {
    code: system,
    syscall: name,
    path,
  });
}

function wrapped(name, call) {
  return function (target, ...rest) {
    const fault = faultOf(name, target);
    const isClose = name === "closeSync";
    // A close that fails closes too.
    if (isClose && fault !== undefined) call.call(this, target);
    if (isClose) descriptors.delete(target);
    if (fault !== undefined) throw fault;
    const result = call.call(this, target, ...rest);
    if (name === "openSync" && isMeant(target)) descriptors.add(result);
    return result;
  };
}

for (const call of syncCalls.split(" ")) {
  const name = `${call}Sync`;
  fs[name] = wrapped(name, fs[name]);
}
const { fsync } = fs;
fs.fsync = (descriptor, done) => {
  const fault = faultOf("fsync", descriptor);
  if (fault === undefined) fsync(descriptor, done);
  else process.nextTick(done, fault);
};
for (const name of promisedCalls.split(" ")) {
  const call = fs.promises[name];
  fs.promises[name] = async (target, ...rest) => {
    const fault = faultOf(name, target);
    if (fault !== undefined) throw fault;
    const result = await call(target, ...rest);
    if (name === "open" && isMeant(target)) descriptors.add(result.fd);
    return result;
  };
}
const probe = await fs.promises.open(new URL(import.meta.url));
const prototype = Object.getPrototypeOf(probe);
await probe.close();
for (const name of handleCalls.split(" ")) {
  const call = prototype[name];
  prototype[name] = async function (...rest) {
    const { fd } = this;
    const fault = faultOf(`FileHandle.${name}`, fd);
    if (name === "close") descriptors.delete(fd);
    if (fault !== undefined && name === "close") await call.apply(this, rest);
    if (fault !== undefined) throw fault;
    return call.apply(this, rest);
  };
}
syncBuiltinESMExports();

/**
 * Lets the call number `at` below a directory fail with an error code, or `kill`: no call from that one on
 * is made. Returns a function that ends this and returns the number of calls.
 * @param {{ under: string, at: number, code: string }} fault
 * @returns {() => number}
 */
export function armFault(fault) {
  Atomics.store(shared, COUNT, 0);
  descriptors.clear();
  plan = fault;
  return () => {
    plan = undefined;
    return Atomics.load(shared, COUNT);
  };
}

const given = process.env.FILE_FAULT;
if (given !== undefined) {
  plan = { isProcess: true, ...JSON.parse(given) };
  const { count } = plan;
  if (count !== undefined) {
    process.on("exit", () => fs.writeFileSync(count, String(Atomics.load(shared, COUNT))));
  }
}
