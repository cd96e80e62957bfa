/** Root may write anywhere, so it becomes nobody meanwhile. */
export async function withoutPrivileges<Result>(run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
