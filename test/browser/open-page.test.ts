import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers } from './find-barriers.ts'
import { openBrowser } from './open-browser.ts'
import { openPage } from './open-page.ts'

const browser = await openBrowser()
const pages: Record<string, string> = {
  complains: '<script>console.error("no")</script>',
  throws: '<script>throw new Error("no")</script>',
  rejects: '<script>Promise.reject(new Error("no"))</script>',
  'lacks a file': '<script src="nothing.js"></script>',
  'asks elsewhere': '<img src="http://127.0.0.1:9/pixel.png" alt="">',
}
const harmless = '<script>fetch("nothing").then(() => { document.title = "done" })</script>'

describe.skipIf(browser === undefined)('a browser test', () => {
  const server = createServer((request, response) => {
    const name = decodeURI(request.url?.slice(1) ?? '')
    const page = { ...pages, harmless }[name]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' })
    response.end(`<link rel="icon" href="data:,">${page}`)
  })
  let origin: string
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  })
  afterAll(async () => {
    server.close()
  })

  async function visit(name: string): Promise<string> {
    if (browser === undefined) throw new Error('No browser.')
    const page = await openPage(browser, `${origin}/${name}`)
    await page.waitForLoadState('networkidle')
    return page.title()
  }

  test.fails.each(Object.keys(pages))('fails if its page %s', async (name) => {
    await visit(name)
  })

  test('finds barriers to accessibility', async () => {
    if (browser === undefined) return
    const page = await openPage(browser, `${origin}/harmless`)
    await page.setContent('<title>A page</title><input><p style="color: #ddd">Hardly there</p>')
    const found = (await findBarriers(page)).map((barrier) => barrier.split(':')[0])
    expect(found).toEqual(expect.arrayContaining(['label', 'color-contrast', 'html-has-lang']))
  })

  test('passes if the page handles a refused request itself', async () => {
    expect(await visit('harmless')).toBe('done')
  })
})
