import { pickChanges } from '../../api/pick-changes.ts'

/** The ways that open a session, in the order in which they are shown */
export const signInMethods = ['password', 'passkey', 'id_token', 'email_code'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** What an account demands of sign-ins and passwords */
export interface Policy {
  sign_in: readonly SignInMethod[]
  second_factor: 'optional' | 'required'
  password_required: boolean
  /** Null, here and below: the service's own */
  min_password_length: number | null
  verified_email: 'optional' | 'required'
  /** 0: devices are not remembered */
  remember_device_days: number
  session_ttl_seconds: number | null
  session_max_seconds: number | null
}

export type NumberName = 'min_password_length' | 'session_ttl_seconds' | 'session_max_seconds'

export interface PolicyAnswer {
  policy: Policy
  /** What the service itself demands */
  service: Record<NumberName, number>
}

/** The values of the form; numbers are as typed. */
export type PolicyDraft = Omit<Policy, NumberName | 'remember_device_days'> &
  Record<NumberName | 'remember_device_days', string>

export function toDraft(policy: Policy): PolicyDraft {
  const { min_password_length, session_ttl_seconds, session_max_seconds } = policy
  return {
    ...policy,
    remember_device_days: String(policy.remember_device_days),
    min_password_length: toText(min_password_length),
    session_ttl_seconds: toText(session_ttl_seconds),
    session_max_seconds: toText(session_max_seconds),
  }
}

/** The body of a request: only changed members. */
export function toChanges(draft: PolicyDraft, old: Policy): Partial<Policy> {
  return pickChanges(old, toPolicy(draft))
}

function toPolicy(draft: PolicyDraft): Policy {
  const { min_password_length, session_ttl_seconds, session_max_seconds } = draft
  return {
    ...draft,
    remember_device_days: Number(draft.remember_device_days),
    min_password_length: toNumber(min_password_length),
    session_ttl_seconds: toNumber(session_ttl_seconds),
    session_max_seconds: toNumber(session_max_seconds),
  }
}

function toText(value: number | null): string {
  return value === null ? '' : String(value)
}

function toNumber(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}
