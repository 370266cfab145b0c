import { expect, onTestFinished, test } from 'vitest'
import { SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'
import { openApp, startExampleSite } from './example-site.ts'
import { Browser } from './guide-program.ts'

const ada = { email: 'ada@example.com', password: 'analytical engine' }

test('a remembered device adds no passkey before the second factor is shown', async () => {
  const site = await startExampleSite()
  onTestFinished(site.close)
  const browser = new Browser(site.origin)
  const token = new URL((await site.nextMail()).link).searchParams.get('token') ?? ''
  await browser.send('/invitation', { token, password: ada.password })
  const { body } = await browser.send('/sign-in', ada)
  const app = openApp(/id="key">(\w+)</.exec(body)?.[1] ?? '')
  // A new second factor is a proof: nothing asks for another one.
  await browser.send('/sign-in/enrol', { code: app.nextCode(), remember: 'yes' })
  expect(await browser.send('/passkey')).toMatchObject({ status: 200 })
  await browser.send('/sign-out', {})
  expect(await browser.send('/sign-in', ada)).toMatchObject({ status: 303, location: '/' })

  const toConfirm = { status: 303, location: '/confirm-again?next=%2Fpasskey' }
  expect(await browser.send('/passkey')).toMatchObject(toConfirm)
  for (const path of ['/passkey/options', '/passkey']) {
    const refused = await browser.send(path, '{}')
    expect(refused.status).toBe(401)
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'reauthentication_required' })
  }

  const proof = { code: app.nextCode(), next: '/passkey' }
  const confirmed = await browser.send('/confirm-again', proof)
  expect(confirmed).toMatchObject({ status: 303, location: '/passkey' })
  const device = new SoftwareAuthenticator({ origin: site.origin })
  const created = device.create(JSON.parse((await browser.send('/passkey/options', '{}')).body))
  const added = await browser.send('/passkey', JSON.stringify(created))
  expect(added).toMatchObject({ status: 200, body: '{"next":"/?done=passkey"}' })

  const other = new Browser(site.origin)
  const used = device.get(JSON.parse((await other.send('/passkey/sign-in/options', '{}')).body))
  await other.send('/passkey/sign-in', JSON.stringify(used))
  expect(await other.send('/passkey')).toMatchObject({ status: 200 })
})
