import type { ClienteleEvent } from '@clientele/core'
import type { Command } from 'commander'
import { exportAction, exportLines } from '../../export-lines.ts'
import { fileOption } from '../../file-option.ts'
import { idOption } from '../../id-option.ts'
import { parseSince } from '../../parse-since.ts'
import { withClientele } from '../../with-clientele.ts'

interface ExportOptions {
  account: string
  since?: Date
  file?: string
}

export function addEventExport(parent: Command): void {
  const run = withClientele('look', async (clientele, { account, since, file }: ExportOptions) => {
    // Throws for an unknown id: an empty file would look like an account without events.
    await clientele.accounts.find(account)
    const lines = toLines(clientele.events.export(account, { since }))
    // Events contain personal data.
    return exportLines(lines, file)
  })
  parent
    .command('export')
    .description(
      'export events as NDJSON, one per line, oldest first; the last line is the event of the export itself',
    )
    .addOption(idOption('account'))
    .option(
      '--since <time>',
      'only events since 2026-01-31, 2026-01-31T12:00:00Z, or 90d or 12h ago',
      parseSince,
    )
    .addOption(
      fileOption(
        'the file to write, readable by its owner only; default: standard output. --json needs it',
      ),
    )
    .addHelpText(
      'after',
      '\nExample: clientele event export --account ID --since 90d --file events.ndjson',
    )
    .action(exportAction(run))
}

/** The events as the lines of the file have them. */
async function* toLines(events: AsyncIterable<ClienteleEvent>): AsyncGenerator<object> {
  const { toWireEvent } = await import('@clientele/core')
  for await (const event of events) yield toWireEvent(event)
}
