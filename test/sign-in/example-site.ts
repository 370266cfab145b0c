import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { findFreePort } from '../support/find-free-port.ts'
import { startProcess } from '../support/start-process.ts'

const script = join(import.meta.dirname, '../../examples/sign-in/src/main.ts')

/** `examples/sign-in` as it starts, on a database of its own */
export interface ExampleSite {
  origin: string
  /** The next mail, as the site writes it into the terminal */
  nextMail(): Promise<{ to: string; code: string; link: string }>
  close(): Promise<void>
}

export async function startExampleSite(): Promise<ExampleSite> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-sign-in-'))
  const running = startProcess(script, [], { PORT: String(await findFreePort()) }, folder)
  const [, origin = ''] = await running.waitFor(/^Listening on (.+)$/m)
  let mails = 0
  return {
    origin,
    nextMail: async () => {
      mails += 1
      const [text] = await running.waitFor(new RegExp(`(?:^Mail to .*$[^]*?){${mails}}`, 'm'))
      const last = text.trim().split('\n').at(-1) ?? ''
      const [, to = '', code = '', link = ''] = /^Mail to (\S+): .*? (\d*) (\S*)$/.exec(last) ?? []
      return { to, code, link }
    },
    close: async () => {
      running.child.kill('SIGTERM')
      await running.ended
      await rm(folder, { recursive: true })
    },
  }
}

interface App {
  nextCode(): string
}

export async function addApp(page: Page): Promise<App> {
  return openApp((await page.locator('#key').textContent()) ?? '')
}

/** An authenticator app. A code works once, so each is of a later half minute than the one before. */
export function openApp(key: string): App {
  const totp = new TOTP({ secret: Secret.fromBase32(key) })
  // The service takes the half minute before, the present one and the next. The first must not be over while it is sent.
  let half = 0
  return { nextCode: () => totp.generate({ timestamp: Date.now() + 30_000 * half++ }) }
}
