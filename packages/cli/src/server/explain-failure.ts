import { ClienteleError } from '@clientele/core'
import { describeFault } from '../describe-fault.ts'

/** The message for a failed start: without a stack if a setting is wrong. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof ClienteleError ? describeFault(error) : error.message
}
