import type { FeedProblem, FeedVerification } from '@clientele/core'
import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addEventVerify(parent: Command): void {
  parent
    .command('verify')
    .description(
      'verify the hash chain of the events, and report entries that were changed, moved or removed',
    )
    .addOption(idOption('account'))
    .addHelpText(
      'after',
      '\nExample: clientele event verify --account ID\n\nExit codes: 0 the chain is intact, 1 it is not, or there is none. Needs CLIENTELE_SECRET.',
    )
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // Throws for an unknown id: otherwise it would look like an account without events.
        await clientele.accounts.find(account)
        const found = await clientele.events.verify(account)
        if (!found.isSound) process.exitCode = 1
        return { json: found, text: describe(found) }
      }),
    )
}

function describe(found: FeedVerification): string {
  if (!found.hasChain) {
    return (
      'There is no hash chain. To begin one with the next event, set AUDIT_CHAIN=true for the server, or in your program ' +
      'audit: { chain: true } for createClientele.'
    )
  }
  const { verified, unchained, erased, lastPosition, problems, problemCount } = found
  const counts = [
    `Verified: ${verified} events up to number ${lastPosition}`,
    ...(unchained > 0 ? [`older than the chain: ${unchained}`] : []),
    ...(erased > 0 ? [`with an erased person: ${erased}`] : []),
    `wrong: ${problemCount}`,
  ]
  return [counts.join(', '), ...problems.map(describeProblem)].join('\n')
}

const explanations: Record<FeedProblem['kind'], string> = {
  changed: 'was changed after it was written',
  moved: 'does not follow the previous event: it was moved, or events in between were removed',
  emptied: 'has lost its personal data without an erasure',
  missing: 'missing',
  unreadable: 'was linked under another secret: add that secret to CLIENTELE_SECRET',
  forged: 'was not written by a process that has the secret and AUDIT_CHAIN=true',
  beginning: 'is the first event, but the events before it were removed before they expired',
  end: 'is the last event, but the recorded end differs: later events may have been removed',
}

function describeProblem({ kind, position, lastPosition, eventId }: FeedProblem): string {
  const place = position === lastPosition ? `${position}` : `${position} to ${lastPosition}`
  return `event ${place}${eventId === null ? '' : ` (${eventId})`}: ${explanations[kind]}`
}
