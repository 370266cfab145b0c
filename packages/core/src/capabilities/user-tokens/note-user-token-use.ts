import { UseNotes } from '../../base/runtime/use-notes.ts'
import type { UserTokenState } from '../../user-model/subject-state.ts'
import type { UserTokensServices } from './services.ts'

const notes = new UseNotes()

/** Records the use of a token without delaying the request, at most once a minute. */
export function noteUserTokenUse(
  { repository, logger, clock }: Pick<UserTokensServices, 'repository' | 'logger' | 'clock'>,
  accountId: string,
  { id, lastUsedAt }: UserTokenState,
): void {
  const now = clock()
  notes.note(
    { id, lastUsedAt, now },
    () => repository.userTokens.noteUse(accountId, id, now),
    (error) =>
      logger.warn(
        { error, accountId, credentialId: id },
        "A user's token's last use could not be noted.",
      ),
  )
}
