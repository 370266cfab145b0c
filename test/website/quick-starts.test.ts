import { spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { collectPages } from '../../packages/website/src/pages/collect-pages.ts'
import { root } from '../package/source-files.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'

const { pages } = collectPages()

/** The blocks of a quick start in a language, as a reader sees them. */
function readBlocks(name: string, language: string): string[] {
  const page = pages.find(({ route }) => route === `/quick-start/${name}/`)?.text ?? ''
  const blocks = page.matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms)
  return [...blocks].filter(([, each]) => each === language).map(([, , block = '']) => block)
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-quick-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // npm has installed what the page says to install: the tests of the tarballs try that.
  await symlink(join(root, 'test/node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

/** Runs the commands of a quick start in the order of the page, and answers with the last response. */
async function runCommands(name: string, folder: string, port: string, key: string) {
  const commands = readBlocks(name, 'sh')
    .filter((block) => !/^np[mx] /.test(block))
    .join('\n')
    .replace('cu_live_…', key)
    .replace('eyJ…', `$("$NODE" -p 'JSON.parse(fs.readFileSync("answer.json")).data.token')`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const prelude = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body --output answer.json "$@"; }
`
  await writeFile(join(folder, 'page.sh'), `${prelude}${commands}\ncat answer.json\n`)
  const env = { PATH: process.env.PATH ?? '', NODE: process.execPath }
  const child = spawn('bash', ['page.sh'], { cwd: folder, env })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(errors).toBe('')
  return JSON.parse(output) as Record<string, unknown>
}

function stopAfterTest(running: RunningProcess): void {
  onTestFinished(async () => {
    running.child.kill()
    await running.ended
  })
}

test.each(['express', 'fastify', 'koa', 'fetch'])(
  '%s: the program of the page runs, and its commands reach the guarded route',
  async (name) => {
    const folder = await makeFolder()
    const programs = readBlocks(name, 'ts')
    expect(programs).toHaveLength(1)
    await writeFile(join(folder, 'app.mjs'), programs.join())
    const port = String(await findFreePort())
    const running = startProcess(join(folder, 'app.mjs'), [], { PORT: port }, folder)
    stopAfterTest(running)
    const [, key = ''] = await running.waitFor(/^API key: (cu_live_\w+)$/m)
    await running.waitFor(/^Listening on /m)
    expect(await runCommands(name, folder, port, key)).toMatchObject({ email: 'ada@example.com' })
  },
)

test('the server: the commands of the page validate a token', async () => {
  const folder = await makeFolder()
  const running = startProcess(cliScript, [], { PORT: '0' }, folder)
  stopAfterTest(running)
  const [, port = ''] = await running.waitFor(/^Listening on http:\/\/127\.0\.0\.1:(\d+)/m)
  const [, key = ''] = await running.waitFor(/^API key: (cu_live_\w+)$/m)
  const answer = await runCommands('server', folder, port, key)
  expect(answer).toMatchObject({ isValid: true, user: { email: 'ada@example.com' } })
})

// The tests of the examples build and run its files.
test('Next.js: the page shows the files of the example', () => {
  const page = pages.find(({ route }) => route === '/quick-start/next/')?.text ?? ''
  const shown = [...page.matchAll(/^```ts \[(\S+\.ts)\]$/gm)].map(([, file]) => file)
  const routes = ['src/app/api/v1/[...path]/route.ts', 'src/app/api/me/route.ts']
  expect(shown).toEqual(['src/clientele.ts', ...routes, 'next.config.ts'])
  expect(readBlocks('next', 'sh').at(-1)).toContain('/me -H "Authorization: Bearer $TOKEN"')
})
