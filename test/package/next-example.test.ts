import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './source-files.ts'

const source = (path: string) => pathToFileURL(join(root, 'examples/next-app/src', path)).href

/** Calls what the route files export, as Next.js does, which takes 340 MB and so is not installed here. */
const script = `
const { openClientele } = await import('${source('clientele.ts')}')
const routes = await import('${source('app/api/v1/[...path]/route.ts')}')
const me = await import('${source('app/api/me/route.ts')}')
const clientele = await openClientele()
const [{ id }] = await clientele.accounts.list()
const { apiKey } = await clientele.apiKeys.create(id)
const origin = 'http://127.0.0.1:3000/api'
const post = (path, json) => routes.POST(new Request(origin + '/v1/client/user' + path, {
  method: 'POST',
  headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
  body: JSON.stringify(json),
}))
const credentials = { email: 'ada@example.com', password: 'correct horse' }
const created = await post('', { name: 'Ada Lovelace', ...credentials })
const { data: { token } } = await (await post('/auth/login', credentials)).json()
const seen = await me.GET(new Request(origin + '/me', { headers: { authorization: 'Bearer ' + token } }))
const refused = await me.GET(new Request(origin + '/me'))
const absent = await routes.GET(new Request(origin + '/v1/nothing'))
console.log(JSON.stringify({
  created: [created.status, await created.json()],
  seen: [seen.status, await seen.json()],
  refused: [refused.status, (await refused.json()).code],
  absent: absent.status,
  methods: Object.keys(routes).sort(),
}))
await clientele.close()
`

test('the route files of the Next.js example answer (Next.js itself is not installed here)', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'clientele-next-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const args = ['--input-type=module', '--eval', script]
  const output = execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })
  const answers = JSON.parse(output.trim().split('\n').at(-1) ?? '')
  const user = expect.objectContaining({ email: 'ada@example.com', is_active: true })
  expect(answers).toEqual({
    created: [201, user],
    seen: [200, answers.created[1]],
    refused: [401, 'token_missing'],
    absent: 404,
    methods: ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'],
  })
})
