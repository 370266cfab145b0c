import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/**
 * Opens a page in a browser context of its own, for one test. The test fails if the page complains in its console, throws,
 * asks any other origin than its own for anything, or asks its own for a file that is not there. Answers to `fetch` and to
 * forms may be refusals: what the page makes of them is the test's to look at.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const faults: string[] = []
  onTestFinished(async () => {
    await context.close()
    expect(faults, 'what the browser complained of').toEqual([])
  })
  const origins = new Set<string>()
  context.on('request', (request) => {
    const asked = new URL(request.url())
    const isPage = request.isNavigationRequest()
    if (isPage) origins.add(asked.origin)
    const isLocal = ['data:', 'blob:', 'about:'].includes(asked.protocol)
    if (!isLocal && !isPage && !origins.has(asked.origin)) faults.push(`asked ${asked.href}`)
  })
  context.on('response', (response) => {
    const request = response.request()
    const isForm = request.isNavigationRequest() && request.method() === 'POST'
    const isAnswer = isForm || request.resourceType() === 'fetch'
    if (!isAnswer && response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  context.on('weberror', (thrown) => faults.push(`threw ${thrown.error()}`))
  context.on('console', (message) => {
    // The browser notes each refusal of a fetch, too.
    const isRefusal = /^Failed to load resource: /.test(message.text())
    const isFault = ['error', 'warning', 'assert'].includes(message.type())
    if (isFault && !isRefusal) faults.push(`${message.type()}: ${message.text()}`)
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(url)
  return page
}
