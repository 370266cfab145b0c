import { readFile } from 'node:fs/promises'
import { createTestClientele } from '@clientele/core/testing'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { byCode } from './sign-in-code-world.ts'

const guide = new URL('../../packages/core/guides/signing-in.md', import.meta.url)

/** The first block of TypeScript of a section */
async function readBlock(heading: string): Promise<string> {
  const text = await readFile(guide, 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [, block = ''] = /^```ts\n(.*?)^```$/ms.exec(section) ?? []
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
  return ts.transpileModule(block, { compilerOptions }).outputText
}

interface Block {
  mailCode(address: string): Promise<string>
  logInWithCode(challenge: string, code: string): Promise<Response>
}

test('the guide signs a user in by what the test kit has caught', async () => {
  await using world = await createTestClientele()
  const { account, apiKey: key } = await world.createAccount({ policy: { signIn: [...byCode] } })
  const { user } = await world.createUser(account.id)
  // As the guide's, without a network
  const askClientele = async (path: string, body: object) => {
    const answer = await send(world.clientele, 'POST', `/client/user/${path}`, { key, body })
    return Response.json(answer.body, { status: answer.status })
  }
  const code = await readBlock('Sign in with a mailed code or link')
  const make = new Function('askClientele', `${code}; return { mailCode, logInWithCode }`)
  const { mailCode, logInWithCode } = make(askClientele) as Block // as the block defines them
  const challenge = await mailCode(user.email)
  const mail = await world.mails.last(user.email)
  expect(mail).toMatchObject({ kind: 'sign_in_code', secret: expect.stringMatching(/^\d{8}$/) })
  expect(mail.locale).toBe('de')
  expect((await logInWithCode(challenge, 'wrong')).status).toBe(401)
  const signedIn = await logInWithCode(challenge, mail.secret)
  expect(await signedIn.json()).toMatchObject({ success_code: 200, user: { id: user.id } })
  // The kit's own sessions are of the ways that a policy has.
  const only = await world.createAccount({ policy: { signIn: ['email_code'] } })
  const other = await world.createUser(only.account.id)
  await world.tokenFor(other.user)
  expect(await world.clientele.sessions.list(only.account.id, other.user.id)).toMatchObject([
    { amr: ['otp'] },
  ])
})
