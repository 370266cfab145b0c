import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import { readClaims } from './claims.ts'
import { HookRefusal } from './hook-refusal.ts'
import type { BeforeCreateContext, TokenClaimsContext } from './hook-types.ts'
import type { HooksServices } from './services.ts'

/** A refusal that is returned in place of thrown must not look like consent. */
function assertConsent(answer: unknown): void {
  if (answer instanceof HookRefusal) throw answer
  if (answer !== undefined && answer !== null)
    throw new Error(
      'The hook returned a value. It must return nothing, and refuses by throwing a HookRefusal.',
    )
}

/** Whether a hook has refused what was to happen. */
export function isRefusedByHook(error: unknown): error is ClienteleError {
  return error instanceof ClienteleError && error.code === 'refused_by_hook'
}

/** @throws ClienteleError `refused_by_hook`, `hook_unavailable` */
export async function askBeforeCreate(
  { hooks }: HooksServices,
  call: Call,
  user: StoredUser,
  origin: BeforeCreateContext['origin'],
): Promise<void> {
  if (!hooks.has('beforeCreate')) return
  const created = toClientUser(user)
  await hooks.ask(
    call,
    'beforeCreate',
    (given, context) => given.beforeCreate?.(created, { ...context, origin }),
    assertConsent,
  )
}

/**
 * Taking access away does not ask: it must be possible while hooks fail.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`
 */
export async function askBeforeUpdate(
  { hooks }: HooksServices,
  call: Call,
  before: StoredUser,
  after: StoredUser,
  changed: readonly string[],
): Promise<void> {
  if (!hooks.has('beforeUpdate')) return
  if (changed.length === 1 && changed[0] === 'isActive' && !after.isActive) return
  const about = { before: toClientUser(before), changed: [...changed] }
  const updated = toClientUser(after)
  await hooks.ask(
    call,
    'beforeUpdate',
    (given, context) => given.beforeUpdate?.(updated, { ...context, ...about }),
    assertConsent,
  )
}

/**
 * Asks about a sign-in, and for the claims of its token, unless a second factor follows: then there is no token yet.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function askForSession(
  services: HooksServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  sessionId: string,
  needsSecondFactor: boolean,
): Promise<Record<string, unknown> | undefined> {
  await askBeforeSignIn(services, call, user, amr, needsSecondFactor)
  if (needsSecondFactor) return undefined
  return askTokenClaims(services, call, user, { amr, sessionId, impersonatedBy: null })
}

async function askBeforeSignIn(
  { hooks }: HooksServices,
  call: Call,
  user: StoredUser,
  amr: readonly string[],
  needsSecondFactor: boolean,
): Promise<void> {
  if (!hooks.has('beforeSignIn')) return
  const signedIn = toClientUser(user)
  await hooks.ask(
    call,
    'beforeSignIn',
    (given, context) =>
      given.beforeSignIn?.(signedIn, { ...context, amr: [...amr], needsSecondFactor }),
    assertConsent,
  )
}

/**
 * The claims that a hook adds to a token; undefined: none.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function askTokenClaims(
  { hooks }: HooksServices,
  call: Call,
  user: StoredUser,
  session: Pick<TokenClaimsContext, 'amr' | 'sessionId' | 'impersonatedBy'>,
): Promise<Record<string, unknown> | undefined> {
  if (!hooks.has('tokenClaims')) return undefined
  const about = toClientUser(user)
  return hooks.ask(
    call,
    'tokenClaims',
    (given, context) =>
      given.tokenClaims?.(about, { ...context, ...session, amr: [...session.amr] }),
    readClaims,
  )
}
