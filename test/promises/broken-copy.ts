import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findParent } from '../support/find-parent.ts'
import type { Change } from './promise.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** What vitest says about a test that ran */
export interface TestResult {
  /** Below `test/`, without `.test.ts` */
  file: string
  fullName: string
  status: string
  failureMessages: string[]
}

/** A copy of the repository, as it is built, in which sources can be changed. */
export interface BrokenCopy {
  /** Builds the packages with these changes, instead of those of the last call. */
  apply(changes: readonly Change[]): Promise<void>
  /**
   * @param limitMs how long a test may take
   * @throws if a file of tests does not load
   */
  runTests(files: readonly string[], pattern: string, limitMs?: number): Promise<TestResult[]>
  remove(): void
}

export async function createBrokenCopy(): Promise<BrokenCopy> {
  const folder = mkdtempSync(join(await findParent(), 'clientele-promises-'))
  // Where the tests run as root, PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  await copySources(folder)
  let changed: string[] = []
  return {
    apply: async (changes) => {
      for (const name of changed) {
        for (const part of ['src', 'dist'])
          replaceFolder(join(root, 'packages', name, part), join(folder, 'packages', name, part))
      }
      changed = [...new Set(changes.map(({ file }) => file.split('/')[0] ?? ''))]
      for (const { file, from, to } of changes) {
        const path = join(folder, 'packages', file)
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(from, () => to),
        )
      }
      for (const name of changed) await build(folder, name)
    },
    runTests: (files, pattern, limitMs = 60_000) =>
      runVitest(folder, files, [`--testTimeout=${limitMs}`, '-t', pattern]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function copySources(folder: string): Promise<void> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await execute('git', args, { cwd: root, maxBuffer: 2 ** 26 })
  const files = stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))
  for (const name of files) cpSync(join(root, name), join(folder, name))
  // Links to the packages of the workspace are relative: they lead to those of the copy.
  for (const name of globSync(['packages/*', 'examples/*', 'test'], { cwd: root })) {
    const part = join(name, 'node_modules')
    if (existsSync(join(root, part)))
      cpSync(join(root, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  }
  for (const name of globSync('packages/*/dist', { cwd: root }))
    cpSync(join(root, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules/.cache'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of ['run', 'packed']) {
    const from = join(root, 'node_modules/.cache', name)
    if (existsSync(from))
      cpSync(from, join(folder, 'node_modules/.cache', name), {
        recursive: true,
        verbatimSymlinks: true,
      })
  }
}

function replaceFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

async function build(folder: string, name: string): Promise<void> {
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  const cwd = join(folder, 'packages', name)
  await execute(process.execPath, [tsup, '--silent', '--no-dts', '--no-clean'], { cwd })
}

interface VitestReport {
  testResults: { name: string; message: string; assertionResults: TestResult[] }[]
}

async function runVitest(
  folder: string,
  files: readonly string[],
  selection: readonly string[],
): Promise<TestResult[]> {
  const output = join(folder, 'report.json')
  rmSync(output, { force: true })
  const vitest = join(folder, 'test/node_modules/vitest/vitest.mjs')
  const names = files.map((file) => `${file}.test.ts`)
  const args = [vitest, 'run', '--reporter=json', `--outputFile.json=${output}`, ...selection]
  const options = { cwd: join(folder, 'test'), maxBuffer: 2 ** 28, timeout: 1_200_000 }
  // vitest ends with 1 if a test fails: the report says which.
  const said = await execute(process.execPath, [...args, ...names], options).catch((error) => error)
  if (!existsSync(output)) throw new Error(`vitest has no report: ${said.stderr}`)
  const report: VitestReport = JSON.parse(readFileSync(output, 'utf8'))
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const ran = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed')
    if (message !== '' && ran.length === 0) throw new Error(`${name} does not load: ${message}`)
    const file = name.slice(join(folder, 'test/').length).replace(/\.test\.ts$/, '')
    return ran.map((result) => ({ ...result, file }))
  })
}
