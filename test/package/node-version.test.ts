import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertNodeVersion } from '@clientele/core/node-version'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cliScript } from '../support/start-process.ts'
import { root } from './source-files.ts'

const sentence = (version: string) =>
  `Clientele needs Node 22.14 or newer (of Node 23: 23.6 or newer), and this is Node ${version}.`

test.each(['18.20.8', '20.19.6', '21.7.3', '22.0.0', '22.13.1', '23.0.0', '23.5.0'])(
  'Node %s is refused with an explanation',
  (version) => {
    expect(() => assertNodeVersion(version)).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: sentence(version) }),
    )
  },
)

test.each(['22.14.0', '22.22.0', '23.6.0', '24.0.0', '26.1.0', '25.0.0-nightly'])(
  'Node %s is accepted',
  (version) => expect(() => assertNodeVersion(version)).not.toThrow(),
)

test('every package and README names the same versions', () => {
  const manifests = globSync('packages/*/package.json', { cwd: root })
  expect(manifests.length).toBeGreaterThan(4)
  for (const manifest of manifests) {
    const { engines, private: isPrivate } = JSON.parse(readFileSync(join(root, manifest), 'utf8'))
    // Nobody installs it, and it runs as TypeScript.
    if (isPrivate === true) continue
    expect([manifest, engines]).toEqual([manifest, { node: '^22.14.0 || >=23.6.0' }])
  }
  for (const readme of ['README.md', 'packages/core/README.md']) {
    expect(readFileSync(join(root, readme), 'utf8')).toMatch(/Node 22\.14\s+or\s+newer/)
  }
})

/** What a program says, in an empty folder that is looked at afterwards. */
async function run(node: string, args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return new Promise<{ code: unknown; output: string; errors: string; madeData: boolean }>(
    (resolve) => {
      execFile(node, args, { cwd: folder }, (error, output, errors) => {
        const madeData = existsSync(join(folder, 'data'))
        resolve({
          code: error === null ? 0 : (error.code ?? error.signal),
          output,
          errors,
          madeData,
        })
      })
    },
  )
}

const createAccount = [cliScript, 'account', 'create', '--name', 'Acme', '--json']
const refused = (version: string) => ({
  code: 1,
  output: '',
  errors: `error: ${sentence(version)}\n`,
  madeData: false,
})

describe('a process that pretends to be Node 22.13.1', () => {
  const pretend = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.13.1' } })
    const load = process.dlopen
    process.dlopen = (module, file, flags) => {
      if (/better.sqlite3/.test(file)) throw new Error('loads the driver')
      return flags === undefined ? load(module, file) : load(module, file, flags)
    }`,
  )}`

  test('the command line reports the version, and creates nothing', async () => {
    const args = ['--import', pretend, ...createAccount]
    expect(await run(process.execPath, args)).toEqual(refused('22.13.1'))
  })

  test.each([
    `(await import('@clientele/core/sqlite')).sqlite({ filename: 'users.sqlite' })`,
    `(await import('@clientele/core/postgres')).postgres({ connectionString: 'postgres://x' })`,
    `await (await import('@clientele/core/database-url')).openRepository('sqlite:users.sqlite')`,
    `await (await import('@clientele/core')).createClientele({})`,
  ])('%s reports the version before a driver is loaded', (call) => {
    const script = `try { ${call} } catch (error) { console.log(error.code, error.message) }`
    const args = ['--import', pretend, '--input-type=module', '--eval', script]
    const output = execFileSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    })
    expect(output).toBe(`configuration_invalid ${sentence('22.13.1')}\n`)
  })
})

// They are fetched, so not at every run: `.ci/run` sets CI.
describe.skipIf(process.env.CI === undefined)('real Nodes (skipped where CI is not set)', () => {
  async function fetchNode(wanted: string): Promise<{ node: string; version: string }> {
    const npx = ['--yes', '-p', `node@${wanted}`, '--', 'node', '-p']
    const output = execFileSync('npx', [...npx, 'process.execPath + " " + process.versions.node'], {
      encoding: 'utf8',
    })
    const [node = '', exact = ''] = output.trim().split('\n').at(-1)?.split(' ') ?? []
    return { node, version: exact }
  }

  test.each(['18', '20', '22.0', '22.13', '23.5'])(
    '%s is told the required versions',
    async (wanted) => {
      const { node, version } = await fetchNode(wanted)
      expect(version.startsWith(wanted)).toBe(true)
      expect(await run(node, createAccount)).toEqual(refused(version))
    },
    120_000,
  )

  test.each(['22.14', '23.6'])(
    '%s creates an account',
    async (wanted) => {
      const { node, version } = await fetchNode(wanted)
      expect(version.startsWith(wanted)).toBe(true)
      const { code, output, errors, madeData } = await run(node, createAccount)
      expect({ code, madeData }).toEqual({ code: 0, madeData: true })
      expect(errors).toMatch(/^A new database: \S+clientele\.sqlite\n$/)
      expect(JSON.parse(output)).toMatchObject({ account: { name: 'Acme' } })
    },
    120_000,
  )
})
