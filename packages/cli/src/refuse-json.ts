import type { Command } from 'commander'
import { UsageError } from './usage-error.ts'

/** Refuses `--json`, which promises one document, where more than one is printed. */
export function refuseJson(command: Command, message: string): void {
  if (command.optsWithGlobals<{ json?: true }>().json) throw new UsageError(message)
}
