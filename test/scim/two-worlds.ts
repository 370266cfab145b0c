import type { BeforeUpdateContext, ClienteleOptions } from '@clientele/core'
import { onTestFinished } from 'vitest'
import type { OpenDatabase } from '../support/databases.ts'
import { type ScimAnswer, ScimWorld } from './scim-world.ts'

type Act = () => Promise<unknown> | undefined

/** Two processes on one database. In the first, each of the acts happens once when the hook is asked about a user's roles. */
export async function openTwoWorlds(
  database: OpenDatabase,
  options: Partial<ClienteleOptions> = {},
) {
  const acts: Act[] = []
  const beforeUpdate = async (_user: unknown, { changed }: BeforeUpdateContext) => {
    if (changed.includes('roles')) await acts.shift()?.()
  }
  const first = await ScimWorld.open(database.url, { hooks: { beforeUpdate }, ...options })
  const second = await ScimWorld.open(database.url)
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()])
    await database.close()
  })
  const provider = await first.provider()
  const { accountId, ask, add } = provider
  const { apiKey } = await first.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
  const headers = { authorization: `Bearer ${apiKey}` }
  const send = (
    world: ScimWorld,
    method: string,
    path: string,
    json?: object,
    signal?: AbortSignal,
  ) => world.send(method, `/scim/v2${path}`, json, headers, signal)
  const patch = (world: ScimWorld, path: string, ...Operations: object[]) =>
    send(world, 'PATCH', path, { Operations })
  const rename = (world: ScimWorld, path: string, displayName: string) =>
    patch(world, path, { op: 'replace', value: { displayName } })
  const addTo = (world: ScimWorld, path: string, ids: readonly string[]) =>
    patch(world, path, { op: 'add', path: 'members', value: toMembers(ids) })
  const removeFrom = (world: ScimWorld, path: string, id: string) =>
    patch(world, path, { op: 'remove', path: `members[value eq "${id}"]` })
  const rolesOf = async (ids: readonly string[]) => {
    const users = ids.map((id) => first.clientele.users.find(accountId, id))
    return (await Promise.all(users)).map(({ user }) => user.roles)
  }
  const before = (...next: Act[]) => {
    acts.splice(0, acts.length, ...next)
  }
  /** As an act: begins a request, which would have written by the time the act ends if it did not wait for its turn. */
  const begin = <T>(request: () => Promise<T>) => {
    let answer: Promise<T> | undefined
    const act = async () => {
      answer = request()
      answer.catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    return { act, answered: async () => answer ?? Promise.reject(new Error('It never began.')) }
  }

  /** A group `admin` of three users, and a fourth user. */
  async function startGroup() {
    const ids: string[] = []
    for (let count = 0; count < 4; count++) ids.push((await add()).id)
    const [a = '', b = '', c = '', other = ''] = ids
    const members = toMembers([a, b, c])
    const { body } = await ask('POST', '/Groups', { displayName: 'admin', members })
    return { ids: [a, b, c] as const, other, path: `/Groups/${body.id}` }
  }

  /**
   * Renames the group `admin` to `reader` in the first process. Before the last of its members gets the new role, `act` happens:
   * that user has changed after the hook was asked, and is asked about once more. Until it has ended, no group of the account can be
   * changed.
   */
  async function renameAround(act: (group: Group) => Promise<unknown>) {
    const group = await startGroup()
    const { ids, path } = group
    const change = () => second.clientele.users.patch(accountId, ids[2], { metadata: { level: 1 } })
    const nothing = () => undefined
    before(nothing, nothing, change, () => act(group))
    const answer: ScimAnswer = await rename(first, path, 'reader')
    return { ...group, answer }
  }
  type Group = Awaited<ReturnType<typeof startGroup>>

  /** The same where `request` begins at that time, and is answered after the rename. */
  async function renameBeside<T>(request: (group: Group) => Promise<T>) {
    let answered: (() => Promise<T>) | undefined
    const renamed = await renameAround((group) => {
      const begun = begin(() => request(group))
      answered = begun.answered
      return begun.act()
    })
    return { ...renamed, beside: await answered?.() }
  }

  return {
    ...{ first, second, ...provider, send, rename, addTo, removeFrom },
    ...{ rolesOf, before, begin, startGroup, renameAround, renameBeside },
  }
}

export const toMembers = (ids: readonly string[]) => ids.map((value) => ({ value }))
