import type { Command } from 'commander'
import { awaitInterruption, Interrupted } from './interrupt.ts'
import { refuseJson } from './refuse-json.ts'
import { writeLines } from './transfer/write-lines.ts'
import { UsageError } from './usage-error.ts'
import type { Output } from './with-clientele.ts'

/** Makes the action of a command that exports: it allows `--json` only if the lines are written to a file. */
export function exportAction<Options extends { file?: string }>(
  run: (options: Options, command: Command) => Promise<void>,
): (options: Options, command: Command) => Promise<void> {
  return async (options, command) => {
    if (options.file === undefined) {
      refuseJson(
        command,
        'An export is NDJSON, one document per line, but --json prints a single document: omit --json, or add --file.',
      )
    }
    if (options.file?.endsWith('.csv') === true)
      throw new UsageError('An export is NDJSON: use a --file that ends in .ndjson.')
    await run(options, command)
  }
}

/** Writes records as NDJSON to standard output, or to a file, which appears only when it is complete. */
export async function exportLines(
  records: AsyncIterable<object>,
  file: string | undefined,
): Promise<Output> {
  if (file === undefined) {
    await writeLines(records, process.stdout)
    // Print only the records.
    return { text: '' }
  }
  const { replaceFile } = await import('./transfer/replace-file.ts')
  const interruption = awaitInterruption()
  try {
    const exported = await replaceFile(file, (output) =>
      writeLines(records, output, interruption.signal),
    )
    return { json: { exported, file }, text: `Exported: ${exported}` }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    throw error.saying('Interrupted: no file was written.')
  } finally {
    interruption.forget()
  }
}
