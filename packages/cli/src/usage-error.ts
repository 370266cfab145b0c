/** Options that do not go together, or that something is missing from: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
