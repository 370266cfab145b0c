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
    // An id that is not there is a mistake, not an account without events.
    await clientele.accounts.find(account)
    const { toWireEvent } = await import('@clientele/core')
    const interruption = awaitInterruption()
    const { signal } = interruption
    try {
      const events = clientele.events.tail(account, { count: lines, follow, signal })
      for await (const event of events) {
        // Each by itself: whoever follows waits for the next.
        const written = await writeLines([toWireEvent(event)], process.stdout)
        if (written === undefined) break
      }
      if (signal.reason instanceof Interrupted) process.exitCode = signal.reason.exitCode
    } finally {
      interruption.forget()
    }
    // The events are all that is said.
    return { text: '' }
  })
  parent
    .command('tail')
    .description('print the last events as NDJSON, an event a line, oldest first')
    .addOption(idOption('account'))
    .addOption(
      new Option('--lines <number>', 'how many, at most 1000').argParser(parseLines).default(20),
    )
    .option('--follow', 'go on with each event that comes, until Ctrl-C')
    .action((options: TailOptions, command: Command) => {
      refuseJson(
        command,
        'Events are NDJSON, a document a line, and --json promises one document: leave it out.',
      )
      return run(options, command)
    })
}

function parseLines(text: string): number {
  const lines = /^[0-9]{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (lines <= 1000) return lines
  throw new InvalidArgumentError('It is a number from 0 to 1000.')
}
