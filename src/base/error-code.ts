/** Whether what was thrown has this code, as errors of the system and of Node have: `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}
