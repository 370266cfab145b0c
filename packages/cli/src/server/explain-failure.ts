import { ClienteleError } from '@clientele/core'

/** What the operator is told of a start that failed: no stack for what only a setting can mend. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ClienteleError) {
    const cause =
      error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : ''
    return `${error.message}${cause}`
  }
  return error.message
}
