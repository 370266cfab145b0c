// node run.mjs promises [texts of promises, or files of tests]
//
// Proves the tests of the promises: each passes, and fails in a copy of the repository in which the guard behind its promise
// is switched off.
import { type BrokenCopy, createBrokenCopy, type TestResult } from './broken-copy.ts'
import type { ProvenPromise } from './promise.ts'
import { promises } from './promises.ts'

/** How the message of a failed assertion begins, or that of an answer of ours that the test does not expect */
const assertion =
  /^(AssertionError|ClienteleError|Error: (expected|Snapshot|promise (resolved|rejected)))/

/** A test that waits for what no longer comes need not wait for a minute. */
const brokenLimitMs = 40_000

const filters = process.argv.slice(2)
const chosen = promises.filter(({ said, test }) =>
  [...said, test.file].some(
    (text) => filters.length === 0 || filters.some((filter) => text.includes(filter)),
  ),
)
if (chosen.length === 0) {
  console.error(`No promise and no file of tests has the text ${filters.join(', or ')}.`)
  process.exit(2)
}
const counts = { found: 0, notFound: 0 }
const copy = await createBrokenCopy()
try {
  const whole = await runWhole(copy)
  for (const promise of chosen) {
    const started = Date.now()
    const fault = describeWhole(whole, promise) ?? (await describeBroken(copy, promise))
    counts[fault === undefined ? 'found' : 'notFound']++
    const seconds = `${Math.round((Date.now() - started) / 1000)} s`
    const { file, name } = promise.test
    const verdict = fault === undefined ? 'found' : 'NOT FOUND'
    console.log(`${verdict}: ${promise.said[0]} (${file}: ${name}, ${seconds})`)
    if (fault !== undefined) console.log(`  ${fault}`)
  }
} finally {
  copy.remove()
}
console.log(`${counts.found} found, ${counts.notFound} not found`)
process.exitCode = counts.notFound === 0 ? 0 : 1

/** All tests at once, unbroken */
function runWhole({ runTests }: BrokenCopy): Promise<TestResult[]> {
  const files = [...new Set(chosen.map(({ test }) => test.file))]
  const names = [...new Set(chosen.map(({ test }) => toPattern(test.name)))]
  return runTests(files, names.join('|'))
}

function describeWhole(whole: TestResult[], { test }: ProvenPromise): string | undefined {
  const results = selectOf(whole, test)
  if (results.length === 0) return 'No test has this name.'
  const failed = results.filter(({ status }) => status === 'failed')
  return failed.length === 0
    ? undefined
    : `Fails without a change: ${firstLine(failed[0]?.failureMessages[0])}`
}

async function describeBroken(
  { apply, runTests }: BrokenCopy,
  { test, broken }: ProvenPromise,
): Promise<string | undefined> {
  try {
    await apply(broken)
    const ran = await runTests([test.file], toPattern(test.name), brokenLimitMs)
    const results = selectOf(ran, test)
    const messages = results.flatMap(({ failureMessages }) => failureMessages)
    if (messages.some((message) => assertion.test(message))) return undefined
    return messages.length === 0
      ? 'Passes although its guard is switched off.'
      : `Fails otherwise than by an assertion: ${firstLine(messages[0])}`
  } catch (error) {
    return `Does not run: ${error instanceof Error ? error.message : error}`
  }
}

function firstLine(message = ''): string {
  return message.split('\n', 1).join('')
}

function selectOf(results: TestResult[], { file, name }: ProvenPromise['test']): TestResult[] {
  return results.filter((each) => each.file === file && each.fullName.includes(name))
}

function toPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
