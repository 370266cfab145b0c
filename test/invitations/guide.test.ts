import { readFile } from 'node:fs/promises'
import type { ImportResult, UserResult } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'

const guide = new URL('../../packages/core/guides/invitations.md', import.meta.url)

async function readBlocks(): Promise<string[]> {
  const text = await readFile(guide, 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
    return ts.transpileModule(block, { compilerOptions }).outputText
  })
}

/** Runs a block with what it has from its surroundings; answers with what it defines under a name. */
async function run<T>(block: string, given: Record<string, unknown>, name: string): Promise<T> {
  const body = `return (async () => { ${block}; return ${name} })()`
  return new Function(...Object.keys(given), body)(...Object.values(given)) as Promise<T>
}

test('the guide invites a user, again, and in an import', async () => {
  const [inviting = '', accepting = '', again = '', importing = '', ...others] = await readBlocks()
  expect(others).toEqual([])
  await using world = await createTestClientele()
  const { clientele, mails } = world
  const accountId = (await world.createAccount()).account.id
  const surroundings = { clientele, accountId }
  const user = await run<UserResult['user']>(inviting, surroundings, 'user')
  expect(await mails.last(user.email)).toMatchObject({ kind: 'invitation', locale: 'de' })
  await run(again, { ...surroundings, userId: user.id }, 'undefined')
  const [first, { secret: token } = { secret: '' }] = await mails.list(user.email)
  const password = 'chosen by herself'
  const accept = (mailed = '') =>
    run<undefined>(accepting, { ...surroundings, token: mailed, password }, 'undefined')
  expect(await codeOf(accept(first?.secret))).toBe('invitation_invalid')
  await accept(token)
  await clientele.auth.logIn(accountId, { email: user.email, password })
  const said: string[] = []
  const console = { log: (text: string) => said.push(text) }
  const result = await run<ImportResult>(importing, { ...surroundings, console }, 'result')
  expect(result).toMatchObject({ imported: 1, invited: 1, uninvited: [] })
  expect(said).toEqual(['Invited: 1'])
  expect((await mails.last('grace@example.com')).kind).toBe('invitation')
})
