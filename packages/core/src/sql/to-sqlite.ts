/** SQLite has no booleans, and better-sqlite3 takes none. */
export function toSqlite(parameters: unknown[]): unknown[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (typeof value === 'boolean') parameters[index] = value ? 1 : 0
  }
  return parameters
}
