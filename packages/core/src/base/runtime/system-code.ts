/** The code of an error of Node, the system or a driver, such as `ENOENT`; undefined if it has none. */
export function systemCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
