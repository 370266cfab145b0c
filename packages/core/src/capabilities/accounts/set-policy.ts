import type { Call } from '../../base/call/call.ts'
import { type InputIssue, invalidInput } from '../../base/errors.ts'
import { defaultMinPasswordLength } from '../passwords/password-policy.ts'
import type { Account } from './account.ts'
import type { PolicyChanges } from './account-policy.ts'
import type { AccountsServices } from './services.ts'
import { updateAccount } from './update-account.ts'

/**
 * Changes the given members of an account's policy.
 *
 * @throws ClienteleError `account_not_found`; `validation_failed` for a value that is wider than the service's own
 */
export async function setPolicy(
  services: AccountsServices,
  call: Call,
  changes: PolicyChanges,
  nameOf: (member: string) => string = (member) => member,
): Promise<Account> {
  const issues = findWider(services, changes, nameOf)
  if (issues.length > 0) throw invalidInput(issues)
  return updateAccount(services, call, { policy: changes })
}

/** The values that are wider than what the service allows. */
function findWider(
  { passwordPolicy, sessionTtlSeconds, sessionMaxSeconds }: AccountsServices,
  changes: PolicyChanges,
  nameOf: (member: string) => string,
): InputIssue[] {
  const issues: InputIssue[] = []
  const report = (member: keyof PolicyChanges, code: string, bound: string): void => {
    const message = `must be ${bound}, as this service allows: an account's policy can only narrow that`
    issues.push({ pointer: `/${nameOf(member)}`, code, message })
  }
  const { minPasswordLength: length, sessionTtlSeconds: ttl, sessionMaxSeconds: max } = changes
  const { minLength = defaultMinPasswordLength } = passwordPolicy
  if (typeof length === 'number' && length < minLength)
    report('minPasswordLength', 'too_small', `at least ${minLength}`)
  if (typeof ttl === 'number' && ttl > sessionTtlSeconds)
    report('sessionTtlSeconds', 'too_large', `at most ${sessionTtlSeconds}`)
  if (typeof max === 'number' && max > sessionMaxSeconds)
    report('sessionMaxSeconds', 'too_large', `at most ${sessionMaxSeconds}`)
  return issues
}
