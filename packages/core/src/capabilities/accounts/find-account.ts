import { z } from 'zod'
import {
  type Call,
  type CallerInput,
  type CallInput,
  callerSchema,
  type UserRules,
} from '../../base/call/call.ts'
import { ClienteleError, invalidInput, maxIssues } from '../../base/errors.ts'
import { maxSuggestions, parseArgument, unrecognized } from '../../base/input/input.ts'
import type { Account, AccountRules, AccountSettings } from './account.ts'
import { type AccountNameKind, accountNameKinds, isAccountName } from './account-names.ts'
import type { AccountsServices } from './services.ts'

/** An account by its slug or by its external id, in place of its id. */
export type AccountName = CallerInput & ({ slug: string } | { externalId: string })

const callOrName = callerSchema.extend({
  accountId: z.unknown().optional(),
  clientAddress: z.unknown().optional(),
  hookContext: z.unknown().optional(),
  idempotencyKey: z.unknown().optional(),
  slug: z.string().optional(),
  externalId: z.string().optional(),
})
const callOrNameSchema = callOrName.refine(
  ({ accountId, slug, externalId }) =>
    [accountId, slug, externalId].filter((each) => each !== undefined).length === 1,
  { params: { code: 'value' }, message: 'must have one of accountId, slug and externalId' },
)
const known = Object.keys(callOrName.shape)
const howToFind = 'an account is found by its id, find(id), by { slug } or by { externalId }'

/**
 * Reads by what an account is to be found.
 *
 * @returns undefined: by its id, which is not checked yet
 * @throws ClienteleError `validation_failed`
 */
export function readAccountName(
  input: CallInput | AccountName,
): { kind: AccountNameKind; name: string } | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const unknown = Object.keys(input).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw invalidInput(
      unknown.slice(0, maxIssues).map((key, index) => {
        const issue = unrecognized(['call', key], index < maxSuggestions ? known : [])
        return { ...issue, message: `${issue.message}: ${howToFind}` }
      }),
    )
  }
  const given = parseArgument('call', callOrNameSchema, input)
  for (const kind of accountNameKinds) {
    const name = given[kind]
    if (name !== undefined) return { kind, name }
  }
  return undefined
}

/** @throws ClienteleError `account_not_found` */
export async function findAccount(
  { repository }: AccountsServices,
  { accountId }: Call,
): Promise<Account> {
  const account = await repository.accounts.find(accountId)
  if (account === undefined) throw new ClienteleError('account_not_found')
  return account
}

/**
 * A text that cannot be such a name names no account, as an unknown one: it may come from a host name that a stranger sent.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function findAccountByName(
  { repository }: AccountsServices,
  kind: AccountNameKind,
  name: string,
): Promise<Account> {
  const account = isAccountName(kind, name)
    ? await repository.accounts.findByName(kind, name)
    : undefined
  if (account === undefined) throw new ClienteleError('account_not_found')
  return account
}

/** @throws ClienteleError `account_not_found` */
export async function findAccountSettings(
  { repository }: AccountsServices,
  { accountId }: Call,
): Promise<AccountSettings> {
  const settings = await repository.accounts.findSettings(accountId)
  if (settings === undefined) throw new ClienteleError('account_not_found')
  return settings
}

/**
 * The settings that a user is validated against: read, unless they were read together with the caller's API key.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function findAccountRules(
  services: AccountsServices,
  call: Call,
): Promise<AccountRules> {
  if (call.rules !== undefined) return { id: call.accountId, ...call.rules }
  const settings = await findAccountSettings(services, call)
  return { id: settings.id, ...toUserRules(settings) }
}

/**
 * A call with the account's rules, which are read now if they were not. Of an account that does not exist it has none.
 */
export async function withRules(services: AccountsServices, call: Call): Promise<Call> {
  if (call.rules !== undefined) return call
  const settings = await services.repository.accounts.findSettings(call.accountId)
  return settings === undefined ? call : { ...call, rules: toUserRules(settings) }
}

/** The rules for users among an account's settings. */
export function toUserRules({
  allowedRoles,
  policy,
}: Pick<AccountSettings, 'allowedRoles' | 'policy'>): UserRules {
  const { passwordRequired, minPasswordLength } = policy.rules
  return { allowedRoles, passwordRequired, minPasswordLength }
}
