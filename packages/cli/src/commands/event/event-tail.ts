import { type Command, InvalidArgumentError, Option } from 'commander'
import { idOption } from '../../id-option.ts'
import { awaitInterruption, Interrupted } from '../../interrupt.ts'
import { refuseJson } from '../../refuse-json.ts'
import { writeLines } from '../../transfer/write-lines.ts'
import { withClientele } from '../../with-clientele.ts'

interface TailOptions {
  account: string
  lines: number
  follow?: boolean
}

export function addEventTail(parent: Command): void {
  const run = withClientele('look', async (clientele, { account, lines, follow }: TailOptions) => {
    // Throws for an unknown id: otherwise it would look like an account without events.
    await clientele.accounts.find(account)
    const { toWireEvent } = await import('@clientele/core')
    const interruption = awaitInterruption()
    const { signal } = interruption
    try {
      const events = clientele.events.tail(account, { count: lines, follow, signal })
      for await (const event of events) {
        // One by one: a reader that follows waits for the next event.
        const written = await writeLines([toWireEvent(event)], process.stdout)
        if (written === undefined) break
      }
      if (signal.reason instanceof Interrupted) process.exitCode = signal.reason.exitCode
    } finally {
      interruption.forget()
    }
    // Print only the events.
    return { text: '' }
  })
  parent
    .command('tail')
    .description('print the last events as NDJSON, one per line, oldest first')
    .addOption(idOption('account'))
    .addOption(
      new Option('--lines <number>', 'how many, at most 1000').argParser(parseLines).default(20),
    )
    .option('--follow', 'wait for new events and print them, until Ctrl-C')
    .addHelpText('after', '\nExample: clientele event tail --account ID --follow')
    .action((options: TailOptions, command: Command) => {
      refuseJson(
        command,
        'Events are NDJSON, one document per line, but --json prints a single document: omit --json.',
      )
      return run(options, command)
    })
}

function parseLines(text: string): number {
  const lines = /^[0-9]{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (lines <= 1000) return lines
  throw new InvalidArgumentError('Give a number from 0 to 1000.')
}
