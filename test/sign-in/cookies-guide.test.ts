import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test, vi } from 'vitest'
import { runsEveryTest } from '../support/slow-tests.ts'
import { Browser, startProgram } from './guide-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const hello = expect.stringMatching(
  /^Hello Ada Lovelace<form method="post" action="\/second-factor"/,
)
const credentials = { email: 'ada@example.com', password: 'analytical engine' }

describe.each(['Express', 'Fastify', 'Koa'])('the program of the guide for %s', (framework) => {
  /** Each program signs in. What else they do alike, one of them does by default. */
  const testIn = (chosen: string) => test.runIf(runsEveryTest || framework === chosen)

  test('signs in with cookies, refreshes, and signs out', async (context) => {
    const { base } = await startProgram(context, 'cookies.md', framework)
    const browser = new Browser(base)
    expect((await browser.send('/')).body).toContain('<form method="post" action="/login">')
    const wrong = await browser.send('/login', { ...credentials, password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(wrong.body).toContain('<p role="alert">The e-mail or the password is wrong.</p><form')
    expect((await browser.send('/login', credentials, 'cross-site')).status).toBe(403)
    expect([...browser.cookies]).toEqual([])

    const signedIn = await browser.send('/login', credentials)
    expect(signedIn).toMatchObject({ status: 303, location: '/me' })
    expect([...browser.cookies.keys()].toSorted()).toEqual(['refresh', 'token'])
    for (const attributes of browser.attributes.values())
      for (const attribute of [/httponly/i, /secure/i, /samesite=lax/i, /path=\//i])
        expect(attributes).toMatch(attribute)
    for (const attributes of browser.attributes.values())
      expect(attributes).toMatch(/(max-age|expires)=/i)
    expect(await browser.send('/me')).toMatchObject({ status: 200, body: hello })
    const toForm = { status: 303, location: '/' }
    expect(await new Browser(base).send('/me')).toMatchObject(toForm)

    const [token = '', refresh = ''] = ['token', 'refresh'].map((name) => browser.cookies.get(name))
    browser.cookies.delete('token') // it has expired
    expect(await browser.send('/me')).toMatchObject({ status: 200, body: hello })
    expect(browser.cookies.get('refresh')).not.toBe(refresh)
    for (const refused of ['nonsense', `${token.slice(0, -8)}AAAAAAAA`]) {
      browser.cookies.set('token', refused)
      expect(await browser.send('/me')).toMatchObject({ status: 200, body: hello })
      expect(browser.cookies.get('token')).not.toBe(refused)
    }
    const stranger = new Browser(base)
    stranger.cookies.set('refresh', 'nonsense'.repeat(40))
    expect(await stranger.send('/me')).toMatchObject(toForm)
    expect([...stranger.cookies]).toEqual([])

    expect((await browser.send('/logout', {}, 'cross-site')).status).toBe(403)
    expect((await browser.send('/me')).status).toBe(200)
    expect(await browser.send('/logout', {})).toMatchObject({ status: 303, location: '/' })
    expect([...browser.cookies]).toEqual([])
    browser.cookies.set('token', token)
    expect(await browser.send('/me')).toMatchObject(toForm)
    browser.cookies.set('refresh', 'nonsense'.repeat(40))
    expect(await browser.send('/logout', {})).toMatchObject(toForm)
    expect([...browser.cookies.keys()]).not.toContain('refresh')
  })

  testIn('Express')('asks for a second factor', async (context) => {
    const { base, filename } = await startProgram(context, 'cookies.md', framework)
    // Beside the program: it has the same file, and the secret in the file beside it.
    const clientele = await createClientele({ repository: sqlite({ filename }) })
    const [account] = await clientele.accounts.list()
    const accountId = account?.id ?? ''
    const [user] = (await clientele.users.list(accountId)).data
    const userId = user?.id ?? ''
    const { secret } = await clientele.mfa.enrolTotp(accountId, userId)
    const app = new TOTP({ secret: Secret.fromBase32(secret) })
    const [recoveryCode = ''] = await clientele.mfa.confirmTotp(accountId, userId, {
      code: app.generate(),
    })
    await clientele.close()

    const browser = new Browser(base)
    expect(await browser.send('/login', credentials)).toMatchObject({ location: '/code' })
    expect([...browser.cookies.keys()]).toEqual(['challenge'])
    const code = recoveryCode
    browser.cookies.set('refresh', 'nonsense'.repeat(40)) // of an earlier session: the challenge stays
    const wrong = await browser.send('/code', { method: 'totp', code: '000000' })
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining('The code is wrong')])
    expect([...browser.cookies.keys()]).toEqual(['challenge'])
    const late = new Browser(base)
    late.cookies.set('challenge', 'nonsense')
    const over = await late.send('/code', { method: 'recovery_code', code })
    expect([over.status, over.body]).toEqual([401, expect.stringContaining('action="/login"')])
    expect([...late.cookies]).toEqual([])
    expect(await browser.send('/code', { method: 'recovery_code', code })).toMatchObject({
      status: 303,
      location: '/me',
    })
    expect([...browser.cookies.keys()].toSorted()).toEqual(['refresh', 'token'])
    expect((await browser.send('/me')).body).toEqual(hello)
  })

  testIn('Fastify')('asks for the password again before something dangerous', async (context) => {
    const { base, filename } = await startProgram(context, 'cookies.md', framework)
    const browser = new Browser(base)
    await browser.send('/login', credentials)
    proveEarlier(filename)
    browser.cookies.delete('token') // it has expired, and the next one has the old time
    expect(await browser.send('/close', {})).toMatchObject({ status: 303, location: '/again' })
    expect((await browser.send('/again')).body).toContain('<form method="post" action="/again">')
    const wrong = await browser.send('/again', { password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(wrong.body).toContain('<form method="post" action="/again">')
    expect(await browser.send('/close', {})).toMatchObject({ status: 303, location: '/again' })
    browser.cookies.delete('token')
    const { password } = credentials
    expect(await browser.send('/again', { password })).toMatchObject({
      status: 303,
      location: '/me',
    })
    expect(await browser.send('/close', {})).toMatchObject({ status: 303, location: '/' })
    expect([...browser.cookies]).toEqual([])
    expect((await browser.send('/login', credentials)).status).toBe(401)
  })

  testIn('Fastify')('verifies an address, where the account requires it', async (context) => {
    const { base, filename, read } = await startProgram(context, 'cookies.md', framework)
    const clientele = await createClientele({ repository: sqlite({ filename }) })
    const [account] = await clientele.accounts.list()
    await clientele.accounts.setPolicy(account?.id ?? '', { verifiedEmail: 'required' })
    await clientele.close()
    const toUser = { status: 303, location: '/me' }
    expect(await new Browser(base).send('/login', credentials)).toMatchObject(toUser)
    const browser = new Browser(base)
    const grace = { email: 'grace@example.com', password: 'a page of commands' }
    const signedUp = await browser.send('/sign-up', { ...grace, name: 'Grace' })
    expect([signedUp.status, signedUp.body.includes('We sent you a link')]).toEqual([403, true])
    const [, link = ''] = (await read('To grace@example.com: ')).split(base)
    expect(await browser.send(link)).toMatchObject({ status: 303, location: '/verify' })
    expect((await browser.send('/verify')).body).toContain('<form method="post" action="/verify">')
    const verified = await browser.send('/verify', {})
    expect([verified.status, verified.body.includes('is verified: sign in')]).toEqual([200, true])
    expect([...browser.cookies]).toEqual([])
    expect(await browser.send('/login', grace)).toMatchObject(toUser)
  })

  testIn('Express')('signs a new user up, who may forget the password', async (context) => {
    const { base, read } = await startProgram(context, 'cookies.md', framework)
    const browser = new Browser(base)
    const grace = { email: 'grace@example.com', password: 'a page of commands' }
    expect((await browser.send('/')).body).toMatch(/href="\/sign-up".* href="\/forgot"/)
    const form = (await browser.send('/sign-up')).body
    const short = await browser.send('/sign-up', { ...grace, name: '<i>', password: 'short' })
    expect([short.status, short.body.endsWith(form)]).toEqual([422, true])
    expect(short.body).toContain('password must have at least 6 characters.')
    const signedUp = await browser.send('/sign-up', { ...grace, name: 'Grace <i>' })
    expect(signedUp).toMatchObject({ status: 303, location: '/me' })
    expect((await browser.send('/me')).body).toContain('Hello Grace &#60;i&#62;<form')
    expect(await read('To grace@example.com: ')).toContain(`${base}/verify?token=`)
    const again = await new Browser(base).send('/sign-up', { ...grace, name: 'Grace' })
    expect([again.status, again.body.includes('There is a user')]).toEqual([409, true])

    const other = new Browser(base)
    const toForm = { status: 303, location: '/' }
    expect(await other.send('/code', { method: 'totp', code: '000000' })).toMatchObject(toForm)
    expect(await other.send('/password', { password: 'any' })).toMatchObject(toForm)
    const printed = read('To grace@example.com: ')
    const known = await other.send('/forgot', { email: grace.email })
    expect(await other.send('/forgot', { email: 'nobody@example.com' })).toEqual(known)
    const [, link = ''] = (await printed).split(base)
    expect(await other.send(link)).toMatchObject({ status: 303, location: '/reset' })
    expect((await other.send('/reset')).body).toContain('<form method="post" action="/reset">')
    const refused = await other.send('/reset', { password: 'short' })
    expect([refused.status, other.cookies.has('reset')]).toEqual([422, true])
    const changed = await other.send('/reset', { password: 'a new compiler' })
    expect([changed.status, changed.body.includes('Your password is changed')]).toEqual([200, true])
    expect([...other.cookies]).toEqual([])
    const renewed = { ...grace, password: 'a new compiler' }
    expect(await other.send('/login', renewed)).toMatchObject({ location: '/me' })
  })

  testIn('Koa')(
    'enrols a second factor on the way in, where the account requires one',
    async (context) => {
      const { base, filename } = await startProgram(context, 'cookies.md', framework)
      const clientele = await createClientele({ repository: sqlite({ filename }) })
      const [account] = await clientele.accounts.list()
      await clientele.accounts.setPolicy(account?.id ?? '', { secondFactor: 'required' })
      await clientele.close()
      const browser = new Browser(base)
      const { body } = await browser.send('/login', credentials)
      expect([...browser.cookies.keys()]).toEqual(['challenge'])
      expect(await browser.send('/me')).toMatchObject({ status: 303, location: '/' })
      const [, secret = ''] = /<p>([A-Z2-7]{32})<\/p>/.exec(body) ?? []
      const app = new TOTP({ secret: Secret.fromBase32(secret) })
      const answer = { method: 'totp', code: app.generate() }
      const enrolled = await browser.send('/code', answer)
      expect(enrolled.body).toMatch(
        /^Keep these recovery codes, they are shown only now: (\S{19} ?){10}$/,
      )
      expect((await browser.send('/me')).body).toEqual(hello)
    },
  )
})

/** Puts the proofs of all sessions back by an hour. */
function proveEarlier(filename: string): void {
  const database = new Sqlite(filename)
  database.exec(
    'update clientele_sessions set authenticated_at = coalesce(authenticated_at, created_at) - 3600000',
  )
  database.close()
}
