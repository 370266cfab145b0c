// What `npm test` runs once the packages are built. With arguments it is vitest alone
// (`npm test -- http`); without, it checks types and style too, and leaves out what takes long. The last line counts.
//
// Types are checked from the sources, so that nothing waits for declarations, and by the quicker compiler. With
// EVERY_TEST they are checked from the declarations, too, by the compiler that makes them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const filters = process.argv.slice(2)
if (filters.length === 0 && process.env.EVERY_TEST !== 'true') process.env.LEAVE_OUT_SLOW = 'true'
const { leftOutParts } = await import('./support/left-out-parts.ts')
const { leftOut, loneTests, runsEveryTest } = await import('./support/slow-tests.ts')
const counts = { passed: 0, failed: 0 }

// Many tests wait: what checks the sources uses the processor meanwhile.
await Promise.all([filters.length === 0 ? checkSources() : undefined, countTests()])
if (leftOut.length > loneTests.length) {
  const files = leftOut.filter((file) => !loneTests.some((name) => file === `${name}.test.ts`))
  const parts = Object.values(leftOutParts).join('; ')
  console.log(`Left out, as they take long: ${files.join(', ')}; and of other files: ${parts}.`)
  console.log('EVERY_TEST=true npm test runs them too, and so does .ci/run.')
}
if (leftOut.length > 0)
  console.log(`Left out, as it wants the machine for itself: npm test -- ${loneTests.join(' ')}`)
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1

async function checkSources(): Promise<void> {
  const compiler = 'test/node_modules/typescript7/bin/tsc'
  // Each checker works out types of its own: two of them take half as much again from the tests beside them.
  await check('types', compiler, [...known('types'), '--checkers', '1', '-p', 'test'])
  const page = [...known('types-of-the-page'), '-p', 'packages/console/src/page']
  await check('types of the console', compiler, page)
  await check('style', 'test/node_modules/@biomejs/biome/bin/biome', [
    'check',
    '--error-on-warnings',
  ])
  if (runsEveryTest) {
    const declarations = ['--noEmit', '-p', 'test/tsconfig.declarations.json']
    await check('types by the declarations', 'node_modules/typescript/bin/tsc', declarations)
    await check('types of the site', compiler, ['--noEmit', '-p', 'packages/website'])
  }
}

/** What has not changed since the last run is not checked again, by its contents: with EVERY_TEST all is. */
function known(name: string): string[] {
  const note = join(root, `node_modules/.cache/run/${name}.tsbuildinfo`)
  return runsEveryTest ? ['--noEmit'] : ['--noEmit', '--incremental', '--tsBuildInfoFile', note]
}

async function run(script: string, args: string[], cwd: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  return code === 0
}

async function check(name: string, script: string, args: string[]): Promise<void> {
  const ok = await run(script, args, root)
  counts[ok ? 'passed' : 'failed']++
  console.log(`${ok ? '✓' : '✗'} ${name}`)
}

interface VitestReport {
  numPassedTests: number
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

interface TestRun {
  passed: number
  /** By file. A file can fail without a test of its own: when it does not load. */
  failed: Map<string, string[]>
}

async function countTests(): Promise<void> {
  try {
    const first = await runVitest(filters)
    const files = [...first.failed.keys()]
    // Two cores, and a machine that does other work, make a few tests late that are right. One file alone says which.
    const second =
      process.env.CI && files.length > 0 && files.length <= 3 ? await runVitest(files) : first
    const [failed, late] = [namesOf(second.failed), namesOf(first.failed)]
    counts.failed += failed.length
    counts.passed += first.passed + Math.max(late.length - failed.length, 0)
    if (second !== first)
      console.log(`Failed among all tests, so that their files ran once more: ${late.join('; ')}`)
    if (failed.length > 0) console.log(`Failed: ${failed.join('; ')}`)
  } catch (error) {
    console.error(error)
    counts.failed++
  }
}

function namesOf(failed: TestRun['failed']): string[] {
  return [...failed].flatMap(([file, tests]) => tests.map((test) => `${file}: ${test}`))
}

async function runVitest(names: string[]): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-test-'))
  const output = join(folder, 'report.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
    const vitest = 'test/node_modules/vitest/vitest.mjs'
    const ok = await run(vitest, [...args, ...names], join(root, 'test'))
    const report: VitestReport = JSON.parse(readFileSync(output, 'utf8'))
    const failed: TestRun['failed'] = new Map()
    for (const { name, status, assertionResults } of report.testResults) {
      const tests = assertionResults.filter((test) => test.status === 'failed')
      const titles = tests.map((test) => test.fullName)
      if (status === 'failed')
        failed.set(
          relative(join(root, 'test'), name),
          titles.length > 0 ? titles : ['fails outside its tests'],
        )
    }
    if (failed.size === 0 && (!ok || report.numPassedTests === 0))
      failed.set('vitest', ['ended with an error, or found no test'])
    return { passed: report.numPassedTests, failed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
