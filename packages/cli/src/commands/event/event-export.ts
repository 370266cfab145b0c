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
    // An id that is not there is a mistake, not an account without events.
    await clientele.accounts.find(account)
    const lines = toLines(clientele.events.export(account, { since }))
    // Events name persons.
    return exportLines(lines, file)
  })
  parent
    .command('export')
    .description(
      'export events as NDJSON, an event a line, oldest first; the export is an event itself, the last one',
    )
    .addOption(idOption('account'))
    .option(
      '--since <time>',
      'only what happened since: 2026-01-31, 2026-01-31T12:00:00Z, or 90d and 12h ago',
      parseSince,
    )
    .addOption(
      fileOption(
        'where to write, for its owner only; standard output without it. Only so --json goes with it',
      ),
    )
    .action(exportAction(run))
}

/** The events as the lines of the file have them. */
async function* toLines(events: AsyncIterable<ClienteleEvent>): AsyncGenerator<object> {
  const { toWireEvent } = await import('@clientele/core')
  for await (const event of events) yield toWireEvent(event)
}
