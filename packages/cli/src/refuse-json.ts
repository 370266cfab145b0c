import type { Command } from 'commander'
import { UsageError } from './usage-error.ts'

/** Refuses `--json` for commands that print more than one document. */
export function refuseJson(command: Command, message: string): void {
  if (command.optsWithGlobals<{ json?: true }>().json) throw new UsageError(message)
}
