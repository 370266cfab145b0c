import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../support/find-free-port.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { startProcess } from '../support/start-process.ts'
import { root } from './source-files.ts'

const examples = globSync('examples/*/package.json', { cwd: root }).map((file) => {
  const folder = dirname(join(root, file))
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const start: string = scripts.start
  return { name: file.split('/')[1] ?? '', folder, start }
})

test('there are examples', () => {
  expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining(['koa-app', 'passkeys']))
})

test.each(examples)('the README of $name says the command that starts it', ({ name, folder }) => {
  const text = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(text).toMatch(new RegExp(`^npm run example ${name}$`, 'm'))
})

// NestJS is compiled first, and Next.js is not installed: they have tests of their own.
const direct = examples.filter(({ start }) => start.startsWith('node '))

// By default a plain one, and one that has a site: the others start the same way.
const few = ['koa-app', 'passkeys']
const tried = direct.filter(({ name }) => runsEveryTest || few.includes(name))

test.each(tried)('$name starts with nothing but its command', async ({ folder, start }) => {
  const cwd = await mkdtemp(join(tmpdir(), 'clientele-example-'))
  const PORT = String(await findFreePort())
  const running = startProcess(join(folder, start.slice('node '.length)), [], { PORT }, cwd)
  onTestFinished(async () => {
    running.child.kill()
    await running.ended
    await rm(cwd, { recursive: true })
  })
  await running.waitFor(/^Listening on /m)
  const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/client/user`)
  // Without a key; the site with passkeys has no such path.
  expect([401, 404]).toContain(response.status)
})
