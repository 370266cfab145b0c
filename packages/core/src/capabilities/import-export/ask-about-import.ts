import type { Call } from '../../base/call/call.ts'
import { askBeforeCreate, askBeforeUpdate, isRefusedByHook } from '../hooks/ask-hooks.ts'
import type { ImportPolicy } from './import-policy.ts'
import { isAsAsked, planChange, planNewUser } from './planned-user.ts'
import {
  cutImport,
  type PreparedError,
  type PreparedImport,
  type PreparedUser,
  splitImport,
} from './prepare-import.ts'
import type { ImportExportServices } from './services.ts'
import type { ImportedUser, KnownUser } from './store.ts'

/** How many users are asked about at once, and how many before they are stored */
const atOnce = 16
const maxAsked = 128

interface AskedImport {
  /** What may be stored */
  ready: PreparedImport
  /** What is to be asked about when that is stored; undefined: nothing */
  later: PreparedImport | undefined
}

/**
 * Asks the hooks about the users of a batch, as they are stored now: each is to be created or changed. Users who are
 * refused become errors. A record about a user of an earlier record waits until that one is stored.
 *
 * @throws ClienteleError `hook_unavailable`
 */
export async function askAboutImport(
  services: ImportExportServices,
  call: Call,
  batch: PreparedImport,
  policy: ImportPolicy,
): Promise<AskedImport> {
  const { hooks } = services
  if (!hooks.has('beforeCreate') && !hooks.has('beforeUpdate'))
    return { ready: batch, later: undefined }
  const some = batch.users.slice(0, maxAsked)
  const known = await findKnown(services, call.accountId, some)
  const { done, rest } = splitImport(batch, countApart(some, known))
  const users: PreparedUser[] = []
  const refused: PreparedError[] = []
  for (let start = 0; start < done.users.length; start += atOnce) {
    policy.signal?.throwIfAborted()
    const next = done.users.slice(start, start + atOnce)
    const answers = await Promise.all(
      next.map((each) =>
        services.importTurns.ask(call.accountId, () => ask(services, call, each, known, policy)),
      ),
    )
    for (const answer of answers) {
      if ('user' in answer) users.push(answer)
      else if (policy.onError === 'skip') refused.push(answer)
      else return { ready: cutImport(users, done.errors, answer), later: undefined }
    }
  }
  const errors = [...done.errors, ...refused].sort((left, right) => left.index - right.index)
  return { ready: { ...done, users, errors }, later: rest }
}

/** The stored users whom a batch names */
interface Known {
  byId: ReadonlyMap<string, KnownUser>
  byEmail: ReadonlyMap<string, KnownUser>
}

async function findKnown(
  { repository: { importExport } }: ImportExportServices,
  accountId: string,
  users: readonly PreparedUser[],
): Promise<Known> {
  const taken = await importExport.findTaken(accountId, {
    emails: users.map(({ user }) => user.email),
    ids: users.flatMap(({ user }) => (user.namesId ? [user.id] : [])),
  })
  const ids = [...new Set(taken.map(({ id }) => id))]
  const found = ids.length === 0 ? [] : await importExport.findWhole(accountId, ids)
  return {
    byId: new Map(found.map((user) => [user.id, user])),
    byEmail: new Map(found.map((user) => [user.email, user])),
  }
}

/** Whom a record is about; undefined: a new user. If it names two, it is a conflict. */
function findSubject({ id, namesId, email }: ImportedUser, known: Known): KnownUser | undefined {
  return known.byEmail.get(email) ?? (namesId ? known.byId.get(id) : undefined)
}

/** How many users come before the first one whom an earlier record may be about, too. */
function countApart(users: readonly PreparedUser[], known: Known): number {
  const seen = new Set<string>()
  const first = users.findIndex(({ user }) => {
    const named = user.namesId ? known.byId.get(user.id) : undefined
    const ids = [user.id, findSubject(user, known)?.id ?? user.id]
    const names = [user.email, named?.email ?? user.email, ...ids]
    const isSeen = names.some((name) => seen.has(name))
    for (const name of names) seen.add(name)
    return isSeen
  })
  return first === -1 ? users.length : first
}

/** The user as the hooks were asked about it, or the error by which they refused it. */
async function ask(
  services: ImportExportServices,
  call: Call,
  prepared: PreparedUser,
  known: Known,
  { onConflict }: ImportPolicy,
): Promise<PreparedUser | PreparedError> {
  const { line, index, user } = prepared
  const before = findSubject(user, known)
  if (user.asked !== undefined && isAsAsked(user, before)) return prepared
  const now = services.clock()
  try {
    if (before === undefined)
      await askBeforeCreate(services, call, planNewUser(user, now), 'import')
    else if (onConflict === 'update') {
      const { after, changed } = planChange(before, user, now)
      if (changed.length > 0) await askBeforeUpdate(services, call, before, after, changed)
    }
    return { ...prepared, user: { ...user, asked: before ?? null } }
  } catch (error) {
    if (!isRefusedByHook(error)) throw error
    return { line, index, code: error.code, message: error.message }
  }
}
