import { z } from 'zod'
import { type SignInMethod, signInMethodNames } from './sign-in-methods.ts'

/** What an account demands of its users' sign-ins and passwords. It narrows what the service allows. */
export interface AccountPolicy {
  /** The ways that open a session */
  signIn: SignInMethod[]
  /**
   * `required`: a password, a mailed code or an ID token signs nobody in without a second factor; who has none enrols one
   * on the way in. A passkey that signs in alone is both factors.
   */
  secondFactor: 'optional' | 'required'
  /** Whether a new user needs a password. An import takes users without one whatever this says. */
  passwordRequired: boolean
  /** The fewest characters of a new password, 6 to 64; null: `passwords.minLength` of the service */
  minPasswordLength: number | null
  /** `required`: a password signs nobody in whose e-mail address is not verified */
  verifiedEmail: 'optional' | 'required'
  /** How many days a device is remembered, on which a user needs no second factor; 0: none is. At most 90 */
  rememberDeviceDays: number
  /** How long an unused session lives; null: `sessionTtlSeconds` of the service */
  sessionTtlSeconds: number | null
  /** How long use can keep a session alive; null: `sessionMaxSeconds` of the service */
  sessionMaxSeconds: number | null
}

/** The policy of an account that has set none */
export const defaultPolicy: AccountPolicy = {
  signIn: ['password', 'passkey', 'id_token'],
  secondFactor: 'optional',
  passwordRequired: true,
  minPasswordLength: null,
  verifiedEmail: 'optional',
  rememberDeviceDays: 0,
  sessionTtlSeconds: null,
  sessionMaxSeconds: null,
}

const sessionSeconds = z
  .int()
  .min(60)
  .max(10 * 365 * 86_400)

/** Its members in the order in which they are stored and shown */
export const policyShape = {
  signIn: z
    .array(z.enum(signInMethodNames))
    .min(1)
    .max(2 * signInMethodNames.length)
    .overwrite((given) => signInMethodNames.filter((name) => given.includes(name))),
  secondFactor: z.enum(['optional', 'required']),
  passwordRequired: z.boolean(),
  minPasswordLength: z.int().min(6).max(64).nullable(),
  verifiedEmail: z.enum(['optional', 'required']),
  rememberDeviceDays: z.int().min(0).max(90),
  sessionTtlSeconds: sessionSeconds.nullable(),
  sessionMaxSeconds: sessionSeconds.nullable(),
} satisfies { [Name in keyof AccountPolicy]: z.ZodType<AccountPolicy[Name]> }

export const setPolicySchema = z.strictObject(policyShape).partial()
/** Members that are not given stay as they are. */
export type SetPolicy = z.input<typeof setPolicySchema>
export type PolicyChanges = z.output<typeof setPolicySchema>

/** A policy and the text of which it was read: a session opens only while the account has the same text. */
export interface StoredPolicy {
  rules: AccountPolicy
  /** Null: the account has set none */
  text: string | null
}

export function readPolicy(text: string | null): StoredPolicy {
  // Written by us from such a policy. A later version may have added members, which stay as they are.
  const rules =
    text === null
      ? defaultPolicy
      : { ...defaultPolicy, ...(JSON.parse(text) as Partial<AccountPolicy>) }
  return { rules, text }
}
