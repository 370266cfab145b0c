import { Secret, TOTP } from 'otpauth'
import { expect, test, vi } from 'vitest'
import { Browser, startProgram } from './guide-program.ts'

vi.setConfig({ testTimeout: 60_000 })

test('the sign-in page of the guide takes mailed codes, and the second factor that it requires', async (context) => {
  const heading = 'A sign-in page from start to end'
  const { base, read } = await startProgram(context, 'signing-in.md', heading)
  const browser = new Browser(base)
  const email = 'ada@example.com'
  const mailed = async () => {
    expect(await browser.send('/', { email })).toMatchObject({ status: 303, location: '/mailed' })
    return read(`Mail to ${email}: your code is `)
  }
  expect((await browser.send('/')).body).toContain('<form method="post" action="/">')
  expect((await browser.send('/', { email }, 'cross-site')).status).toBe(403)
  const code = await mailed()
  const wrong = await browser.send('/mailed', { code: code === '00000000' ? '1' : '00000000' })
  expect(wrong).toMatchObject({ status: 401, body: expect.stringContaining('The code is wrong.') })
  const stranger = new Browser(base)
  expect((await stranger.send('/mailed', { code })).status).toBe(422)

  // The first sign-in adds the app.
  expect(await browser.send('/mailed', { code })).toMatchObject({ status: 303, location: '/app' })
  const replaced = await browser.send('/app')
  const added = await browser.send('/app')
  expect(added.body).toContain('<svg')
  expect(added.body).not.toBe(replaced.body)
  expect(browser.cookies.has('token')).toBe(false)
  expect(await browser.send('/me')).toMatchObject({ status: 303, location: '/' })
  const [, secret = ''] = /the key: ([A-Z2-7]{32})</.exec(added.body) ?? []
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const earlier = app.generate()
  const mistyped = await browser.send('/first-code', { code: 'none' })
  expect(mistyped).toMatchObject({ status: 401, body: expect.stringContaining('"/first-code"') })
  expect((await browser.send('/first-code')).body).not.toContain('recovery code')
  const kept = await browser.send('/first-code', { code: earlier })
  const recoveryCodes = [...kept.body.matchAll(/<li>([^<]+)<\/li>/g)].map(([, each = '']) => each)
  expect(recoveryCodes).toHaveLength(10)
  expect((await browser.send('/me')).body).toContain(`You are signed in as ${email}.`)
  expect(await browser.send('/')).toMatchObject({ status: 303, location: '/me' })
  const ended = new Browser(base)
  for (const [name, value] of browser.cookies) ended.cookies.set(name, value)
  const late = await ended.send('/app')
  expect(late).toMatchObject({ status: 401, body: expect.not.stringContaining('Try again') })
  browser.cookies.delete('token') // it has expired
  expect((await browser.send('/me')).status).toBe(200)

  // The later ones ask for it. The session has ended for another browser that has its cookies, too.
  const later = app.generate({ timestamp: Date.now() + 30_000 })
  for (const proof of [later, recoveryCodes[0] ?? '']) {
    expect(await browser.send('/sign-out', {})).toMatchObject({ status: 303, location: '/' })
    expect((await browser.send('/me')).status).toBe(303)
    expect(await ended.send('/me')).toMatchObject({ status: 303, location: '/' })
    const next = await browser.send('/mailed', { code: await mailed() })
    expect(next).toMatchObject({ status: 303, location: '/code' })
    expect((await browser.send('/code', { code: earlier })).body).toContain('used before')
    expect(await browser.send('/code', { code: proof })).toMatchObject({ location: '/me' })
    expect((await browser.send('/me')).status).toBe(200)
  }

  // A stranger's address gets five codes, and the page says for how long no other.
  const many = { email: 'eve@example.com' }
  for (let asked = 0; asked < 5; asked++) expect((await stranger.send('/', many)).status).toBe(303)
  const refused = await stranger.send('/', many)
  expect(refused.status).toBe(429)
  expect(refused.body).toMatch(/Minutes to wait: (59|60)\./)
})
