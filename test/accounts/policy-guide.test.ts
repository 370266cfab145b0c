import { readFile } from 'node:fs/promises'
import type { SignedIn } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import { Secret, TOTP } from 'otpauth'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'

const guide = new URL('../../packages/core/guides/account-policy.md', import.meta.url)

async function readBlocks(): Promise<string[]> {
  const text = await readFile(guide, 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => {
    // An import would need a module of its own.
    const code = block.replace(/^import .*$/gm, '')
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
    return ts.transpileModule(code, { compilerOptions }).outputText
  })
}

/** Runs a block with what it has from its surroundings; answers with what it defines under a name. */
async function run<T>(block: string, given: Record<string, unknown>, name: string): Promise<T> {
  const body = `return (async () => { ${block}; return ${name} })()`
  return new Function(...Object.keys(given), body)(...Object.values(given)) as Promise<T>
}

test('the guide sets a policy, ends all sessions, and shows its use in tests', async () => {
  const [setting = '', enrolling = '', ending = '', testing = '', ...others] = await readBlocks()
  expect(others).toEqual([])
  await using world = await createTestClientele()
  const { clientele } = world
  const { account } = await world.createAccount()
  const accountId = account.id
  const users = await Promise.all(Array.from({ length: 101 }, () => world.createUser(accountId)))
  for (const { user } of users) await world.tokenFor(user)
  const [{ user, password } = { user: { id: '', email: '' }, password: '' }] = users
  const policy = await run<object>(setting, { clientele, accountId }, 'policy')
  expect(policy).toEqual((await clientele.accounts.find(accountId)).policy)
  const { email } = user
  expect(await codeOf(clientele.auth.logIn(accountId, { email, password }))).toBe(
    'sign_in_method_disabled',
  )
  expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
  const end = await run<(accountId: string) => Promise<void>>(
    ending,
    { clientele },
    'endAllSessions',
  )
  await end(accountId)
  for (const { user } of users)
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  await run(testing, { createTestClientele }, 'user')

  await clientele.accounts.setPolicy(accountId, { signIn: ['password'], secondFactor: 'required' })
  const askForCode = async (qrSvg: string, secret: string) => {
    expect(qrSvg).toContain('<svg')
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  }
  const given = { clientele, accountId, email, password, askForCode }
  const signedIn = await run<SignedIn>(enrolling, given, 'signedIn')
  expect([signedIn.user.email, signedIn.recoveryCodes?.length]).toEqual([email, 10])
})

test('the kit opens a session of a way that the policy allows, and needs no verified address', async () => {
  await using world = await createTestClientele()
  const { clientele } = world
  const policies = [
    [{ signIn: ['passkey'] }, 'hwk'],
    [{ signIn: ['id_token'] }, 'fed'],
    [{ verifiedEmail: 'required' }, 'pwd'],
  ] as const
  for (const [{ ...policy }, method] of policies) {
    const given = 'signIn' in policy ? { signIn: [...policy.signIn] } : policy
    const { account } = await world.createAccount({ name: 'Acme', policy: given })
    expect(account.policy).toMatchObject(given)
    const { user } = await world.createUser(account.id)
    const validated = await clientele.auth.validateToken(account.id, await world.tokenFor(user))
    expect(validated.user).toEqual(user)
    expect(await clientele.sessions.list(account.id, user.id)).toMatchObject([{ amr: [method] }])
  }
  const { account } = await world.createAccount({ policy: { passwordRequired: false } })
  const { user, password } = await world.createUser(account.id)
  expect(password).not.toBe('')
  await clientele.auth.logIn(account.id, { email: user.email, password })
})
