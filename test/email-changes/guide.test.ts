import { readFile } from 'node:fs/promises'
import { createTestClientele } from '@clientele/core/testing'
import ts from 'typescript'
import { expect, test } from 'vitest'

const guide = new URL('../../packages/core/guides/email-changes.md', import.meta.url)

/** The blocks of the guide, as functions of what they have from their surroundings. */
async function readBlocks(): Promise<((given: Record<string, unknown>) => Promise<void>)[]> {
  const text = await readFile(guide, 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
    const { outputText } = ts.transpileModule(block, { compilerOptions })
    return (given) =>
      new Function(...Object.keys(given), `return (async () => { ${outputText} })()`)(
        ...Object.values(given),
      )
  })
}

test('the guide asks for a change, confirms it, and takes it back', async () => {
  const [ask, confirm, undo, ...others] = await readBlocks()
  expect(others).toEqual([])
  await using world = await createTestClientele()
  const { clientele, mails } = world
  const accountId = (await world.createAccount()).account.id
  const { user } = await world.createUser(accountId)
  const surroundings = { clientele, accountId, userId: user.id }
  const emailNow = async () => (await clientele.users.find(accountId, user.id)).user.email
  await ask?.(surroundings)
  const email = 'ada@new.example'
  const mail = await mails.last(email)
  expect(mail).toMatchObject({ kind: 'email_change', to: email, user, locale: 'de' })
  const notice = await mails.last(user.email)
  expect(notice).toMatchObject({ kind: 'email_change_notice', locale: 'de' })
  await confirm?.({ ...surroundings, token: mail.secret })
  expect(await emailNow()).toBe(email)
  await undo?.({ ...surroundings, token: notice.secret })
  expect(await emailNow()).toBe(user.email)
})
