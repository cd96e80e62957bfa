/** Runs a function without root's privileges, as root may write anywhere. */
export async function withoutPrivileges<Result>(run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
