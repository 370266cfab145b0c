/** The code of an error that Node or the system has raised, such as `ENOENT`; undefined if it has none. */
export function systemCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
