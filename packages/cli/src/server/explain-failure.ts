import { ClienteleError } from '@clientele/core'

/** The message for a failed start: without a stack if a setting is wrong. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ClienteleError) {
    const cause =
      error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : ''
    return `${error.message}${cause}`
  }
  return error.message
}
