import type { FeedProblem, FeedVerification } from '@clientele/core'
import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addEventVerify(parent: Command): void {
  parent
    .command('verify')
    .description(
      'follow the hash chain of the events, and say which were changed, moved or taken out behind its back',
    )
    .addOption(idOption('account'))
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing is wrong, 1 something is, or there is no chain. CLIENTELE_SECRET is needed.',
    )
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // An id that is not there is a mistake, not an account without events.
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
      'There is no hash chain: one begins with the next event where the server has AUDIT_CHAIN=true, or your program ' +
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
  changed: 'is not as it was written',
  moved: 'does not follow the one before it: it was moved, or what stood between was taken out',
  emptied: 'has lost its person, and no erasure says so',
  missing: 'missing',
  unreadable: 'was linked under a secret that is not given: add it to CLIENTELE_SECRET',
  forged: 'was not written by a process that has the secret and AUDIT_CHAIN=true',
  beginning: 'is where the feed begins, but not because of their age that those before it are gone',
  end: 'is where the feed ends, but not as it was written: what followed may have been taken out',
}

function describeProblem({ kind, position, lastPosition, eventId }: FeedProblem): string {
  const place = position === lastPosition ? `${position}` : `${position} to ${lastPosition}`
  return `event ${place}${eventId === null ? '' : ` (${eventId})`}: ${explanations[kind]}`
}
