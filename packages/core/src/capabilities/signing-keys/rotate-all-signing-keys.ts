import { z } from 'zod'
import type { Caller } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import type { SigningKeysServices } from './services.ts'
import { algorithmOf } from './signing-key.ts'
import { describeSigningKey, type SigningKeyInfo } from './signing-keys.ts'

export interface RotateAllSigningKeys {
  /** Whether the new keys sign at once. @default false */
  now?: boolean | undefined
}

/** The rotated keys of one account. */
export interface RotatedAccount {
  accountId: string
  /** The latest keys, one for each algorithm in use */
  keys: SigningKeyInfo[]
}

export const rotateAllSigningKeysSchema = z
  .strictObject({ now: z.boolean().optional() })
  .default({})

const accountsAtOnce = 100

/**
 * Rotates the keys of every account that has any, in the order of the accounts' ids, for each algorithm that has a key
 * without a successor. Repeated after an interruption, it skips the accounts that are rotating already.
 *
 * @throws ClienteleError `secret_wrong`, `storage_unavailable`
 */
export async function* rotateAllSigningKeys(
  services: SigningKeysServices,
  { actor, requestId }: Caller,
  { now: isUrgent = false }: RotateAllSigningKeys,
): AsyncGenerator<RotatedAccount> {
  const { repository, keyRing, clock } = services
  let after = lowestId
  for (;;) {
    const accountIds = await repository.signingKeys.listAccounts(after, accountsAtOnce)
    for (const accountId of accountIds) {
      const latest = (await keyRing.list(accountId)).filter(({ retiredAt }) => retiredAt === null)
      const keys: SigningKeyInfo[] = []
      for (const key of latest) {
        const options = { algorithm: algorithmOf(key), reason: 'command', isUrgent } as const
        const next = await keyRing
          .rotate({ accountId, actor, requestId }, options)
          .catch(ignoreMissingAccount)
        if (next !== undefined) keys.push(describeSigningKey(next, clock()))
      }
      if (keys.length > 0) yield { accountId, keys }
    }
    const last = accountIds.at(-1)
    if (last === undefined) return
    after = last
  }
}

/** The account was deleted meanwhile. */
function ignoreMissingAccount(error: unknown): undefined {
  if (error instanceof ClienteleError && error.code === 'account_not_found') return undefined
  throw error
}
