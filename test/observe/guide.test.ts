import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../package/source-files.ts'

const guide = readFileSync(join(root, 'packages/core/guides/observability.md'), 'utf8')
const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)

/** Requests a list of users without an API key. */
const request = `
await clientele.handle({ method: 'GET', url: '/client/user', mountPath: '', headers: {}, rawHeaders: [], body: new Blob([]).stream() })
`

/** Runs a block as a file of this package, with what follows it. */
function run(name: string, block: string, end: string): string {
  const file = join(import.meta.dirname, `.${name}.ts`)
  onTestFinished(() => rmSync(file, { force: true }))
  const text = block.replace("'users.sqlite'", "':memory:'").replace('9464', '0')
  writeFileSync(file, `${text}\n${request}\n${end}\nprocess.exit(0)\n`)
  return execFileSync(process.execPath, [file], { encoding: 'utf8' })
}

test.each([
  ['a line for each request', 0, '', '"route":"/client/user"'],
  ['OpenTelemetry', 1, "console.log('goes on')", 'goes on'],
  [
    'Prometheus',
    2,
    'console.log(await registry.metrics())',
    'clientele_http_request_duration_seconds_count{method="GET",route="/client/user",status="401"} 1',
  ],
])('the block about %s runs', { timeout: 60_000 }, (name, index, end, expected) => {
  expect(run(name.replaceAll(' ', '-'), blocks[index] ?? '', end)).toContain(expected)
})

test('the test knows every block of the guide', () => {
  expect(blocks).toHaveLength(3)
})

test('the guide lists all metrics and attributes', () => {
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
  const spoken = read('packages/core/src/base/observe/opentelemetry/*.ts')
  const served = read('packages/cli/src/server/observe/metrics.ts')
  const names = [
    ...[...spoken.matchAll(/'((?:http|db|clientele)\.[a-z_.]+)'/g)].map(([, name = '']) => name),
    ...[...served.matchAll(/'(clientele_[a-z_]+)'/g)].map(([, name = '']) => name),
  ]
  expect(names.length).toBeGreaterThan(25)
  const written = new Set(guide.match(/`[a-z_.]+`/g))
  const inGuide = (name: string) => written.has(`\`${name}\``) || /\.(state|pool\.name)$/.test(name)
  expect(names.filter((name) => !inGuide(name))).toEqual([])
})
