import { expect, onTestFinished, test } from 'vitest'
import { openApp, startExampleSite } from './example-site.ts'
import { Browser } from './guide-program.ts'

const ada = { email: 'ada@example.com', password: 'analytical engine' }

test('the old mailbox takes a change of the address back, and goes on to a reset by mail', async () => {
  const site = await startExampleSite()
  onTestFinished(site.close)
  const owner = new Browser(site.origin)
  const nextToken = async () =>
    new URL((await site.nextMail()).link).searchParams.get('token') ?? ''
  await owner.send('/invitation', { token: await nextToken(), password: ada.password })
  const { body } = await owner.send('/sign-in', ada)
  const app = openApp(/id="key">(\w+)</.exec(body)?.[1] ?? '')
  await owner.send('/sign-in/enrol', { code: app.nextCode() })
  await owner.send('/email', { email: 'thief@example.com' })
  const mails = [await site.nextMail(), await site.nextMail()]
  const tokenFor = (path: string) => {
    const mail = mails.find(({ link }) => link.includes(path))
    return new URL(mail?.link ?? '').searchParams.get('token') ?? ''
  }
  await new Browser(site.origin).send('/email/confirm', { token: tokenFor('/confirm') })

  const mailbox = new Browser(site.origin)
  const undone = await mailbox.send('/email/undo', { token: tokenFor('/undo') })
  expect(undone.status).toBe(200)
  expect(undone.body).not.toContain('href="/sign-in"')
  const action = /<form method="post" action="([^"]+)"/.exec(undone.body)?.[1] ?? ''
  await mailbox.send(action, { email: ada.email })
  const chosen = { token: await nextToken(), password: 'difference engine' }
  expect(await mailbox.send('/reset', chosen)).toMatchObject({ status: 200 })
  expect(await mailbox.send('/sign-in', ada)).toMatchObject({ status: 401 })
  const entered = await mailbox.send('/sign-in', { ...ada, password: chosen.password })
  expect(entered.body).toContain('id="key"')
})
