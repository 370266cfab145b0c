import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { button, type ConsoleSite, startConsoleSite } from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const t = english.transfer
const existing = 1_500

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, existing)
})
afterAll(async () => {
  await site.close()
})

async function open(): Promise<Page> {
  return site.openAsOperator(site.hashOf('transfer'))
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
  await page.getByLabel(t.file).setInputFiles(file)
}

async function countUsers(): Promise<number> {
  return (await site.clientele.users.list(site.accountId, { limit: 1 })).total
}

/** What stands under a word of the result. */
function count(page: Page, word: string) {
  return page.locator('.counts > div').filter({ hasText: word }).locator('dd')
}

function writeLines(prefix: string, from: number, to: number): string {
  const lines = Array.from({ length: to - from }, (_, index) =>
    JSON.stringify({ email: `${prefix}${from + index}@example.com`, name: 'Zoë Example' }),
  )
  return `${lines.join('\n')}\n`
}

async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
  return readFile(await file.path(), 'utf8')
}

describe.skipIf(browser === undefined)('import and export', () => {
  test('a dry run writes nothing; then the import skips invalid lines and lists their numbers', async () => {
    const page = await open()
    const text = `${writeLines('one', 0, 700)}{broken\n\n{"email":"bad@example.com"}\n${writeLines('one', 700, 900)}`
    await choose(page, 'users.ndjson', text)
    await page.getByLabel(t.onError).selectOption({ label: t.choices.skip })
    const before = await countUsers()
    await button(page, t.dryRun).click()
    await page.getByText(t.triedBad).waitFor()
    expect(await count(page, t.wouldCounts.imported).textContent()).toBe('900')
    expect(await countUsers()).toBe(before)
    await button(page, t.importVerb).click()
    await page.getByText(t.doneBad).waitFor()
    expect(await countUsers()).toBe(before + 900)
    expect(await count(page, t.counts.skipped).textContent()).toBe('2')
    const errors = (await download(page, t.saveErrors))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(errors.map(({ line }) => line)).toEqual([701, 703])
  })

  test('an invalid line ends an import; all lines before it are stored', async () => {
    const page = await open()
    await choose(
      page,
      'users.ndjson',
      `${writeLines('two', 0, 3)}{"name":"No address"}\n${writeLines('two', 3, 5)}`,
    )
    const before = await countUsers()
    await button(page, t.importVerb).click()
    await page.getByText(t.stoppedAt('4')).waitFor()
    expect(await countUsers()).toBe(before + 3)
  })

  test('CSV with an unknown column is imported once the column is ignored', async () => {
    const page = await open()
    await choose(
      page,
      'users.csv',
      'email,name,roles,Phone\n"csv@example.com","Doe, Jane","[""admin""]",123\n',
    )
    await page.getByText(t.unknownColumns(['Phone'])).waitFor()
    expect(await button(page, t.importVerb).getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel(t.leaveOut).check()
    await button(page, t.importVerb).click()
    await page.getByText(t.done).waitFor()
    const { data } = await site.clientele.users.list(site.accountId, { email: 'csv@example.com' })
    expect(data).toMatchObject([{ name: 'Doe, Jane', roles: ['admin'] }])
  })

  test('a file that is not UTF-8 is refused', async () => {
    const page = await open()
    const file = {
      name: 'users.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email,name\n\xe9', 'latin1'),
    }
    await page.getByLabel(t.file).setInputFiles(file)
    await button(page, t.dryRun).click()
    await page.getByText(t.noUtf8).waitFor()
  })

  test('an import waits while the database does not answer, and then continues', async () => {
    const page = await open()
    const before = await countUsers()
    let asked = 0
    await page.route('**/import', (route) => {
      asked++
      if (asked !== 2) return route.continue()
      const body = JSON.stringify({
        code: 'storage_unavailable',
        detail: 'No answer.',
        status: 503,
      })
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body })
    })
    await choose(page, 'users.ndjson', writeLines('three', 0, 1_200))
    await button(page, t.importVerb).click()
    await button(page, english.words.tryAgain).click()
    await page.getByText(t.done).waitFor()
    expect(asked).toBe(4)
    expect(await countUsers()).toBe(before + 1_200)
  })

  test('a stopped import finishes the batch under way', async () => {
    const page = await open()
    const before = await countUsers()
    const held = Promise.withResolvers<void>()
    await page.route('**/import', async (route) => {
      await held.promise
      await route.continue()
    })
    await choose(page, 'users.ndjson', writeLines('four', 0, 1_200))
    await button(page, t.importVerb).click()
    await button(page, t.stop).click()
    held.resolve()
    await page.getByText(t.stoppedAfter('500')).waitFor()
    expect(await countUsers()).toBe(before + 500)
  })

  test('an export has every user in the format of the import', async () => {
    const page = await open()
    const users = await countUsers()
    const lines = (await download(page, t.exportVerb)).trim().split('\n')
    expect(lines).toHaveLength(users)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ email_verified: false, is_active: true })
    await page.getByText(t.exported).waitFor()
  })
})
