// What `npm test` runs once the packages are built. With arguments it is vitest alone
// (`npm test -- http`); without, it checks types and style first. The last line counts.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const filters = process.argv.slice(2)
const counts = { passed: 0, failed: 0 }

if (filters.length === 0) {
  check('types', 'node_modules/typescript/bin/tsc', ['--noEmit', '-p', 'test'])
  check('style', 'node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings'])
}
countTests()
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1

function run(script: string, args: string[], cwd: string): boolean {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd,
    stdio: 'inherit',
  })
  return status === 0
}

function check(name: string, script: string, args: string[]): void {
  const ok = run(script, args, root)
  counts[ok ? 'passed' : 'failed']++
  console.log(`${ok ? '✓' : '✗'} ${name}`)
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numTotalTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

function countTests(): void {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-test-'))
  const output = join(folder, 'report.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
    const ok = run('test/node_modules/vitest/vitest.mjs', [...args, ...filters], join(root, 'test'))
    const report: VitestReport = JSON.parse(readFileSync(output, 'utf8'))
    // A file that does not load has failed without a test of its own.
    const broken = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length
    const failed = report.numFailedTests + broken
    counts.passed += report.numPassedTests
    counts.failed += failed === 0 && (!ok || report.numPassedTests === 0) ? 1 : failed
  } catch (error) {
    console.error(error)
    counts.failed++
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
