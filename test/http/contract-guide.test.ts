import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { expect, test } from 'vitest'
import { httpErrors } from '../../packages/core/src/base/errors.ts'
import { root } from '../package/source-files.ts'

const contract = readFileSync(join(root, 'packages/core/guides/http.md'), 'utf8')
/** Codes that only operations of the console and of SCIM answer with */
const ofOthers =
  /^(console_|scim_|account_disabled$|(api_key|issuer|signing_key)_not_found$|(issuer|slug|external_id)_taken$|passkeys_enrolled$)/
const rowsOf = (text: string, end: string): string[] =>
  text
    .slice(0, text.indexOf(end))
    .split('\n')
    .filter((line) => /^\| (?!---|request|status)/.test(line))

async function readDocument() {
  const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
  const document = await clientele.openApi()
  await clientele.close()
  // the parts of the document that are read here
  return document as unknown as {
    paths: Record<string, Record<string, { responses: object }>>
  }
}

test('each route that the contract names exists, with the status of its answer', async () => {
  const { paths } = await readDocument()
  const rows = rowsOf(contract, '## Errors')
  const wrong = rows.flatMap((row) => {
    const [, request = '', answer = ''] = row.split(/(?<!\\)\|/)
    const status = /\b20\d\b/.exec(answer)?.[0] ?? ''
    return [...request.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/client\/[^` ?]*)/g)].flatMap(
      ([, method = '', path = '']) => {
        const found = paths[path]?.[method.toLowerCase()]
        return found !== undefined && (status === '' || status in found.responses) ? [] : [row]
      },
    )
  })
  expect(wrong).toEqual([])
})

test('each route stands in the contract, or in a guide that it names', async () => {
  const { paths } = await readDocument()
  const guides = [...contract.matchAll(/packages\/core\/(guides\/[\w-]+\.md)/g)].map(
    ([, name = '']) => readFileSync(join(root, 'packages/core', name), 'utf8'),
  )
  const text = [contract, ...guides].join('\n')
  // A path is written whole, or its end.
  const isTold = (path: string): boolean =>
    text.includes(path) ||
    path
      .split('/')
      .slice(4)
      .some((_, index, parts) => {
        const end = parts.slice(index).join('/')
        return ['…', '{id}', '`'].some((start) => text.includes(`${start}/${end}\``))
      })
  expect(Object.keys(paths).filter((path) => !isTold(path))).toEqual([])
})

test('the contract has each error code by its status', () => {
  const listed = new Map<string, string[]>()
  for (const row of rowsOf(
    contract.slice(contract.indexOf('## Errors')),
    '[packages/core/ERRORS.md]',
  )) {
    const [, status = '', codes = ''] = row.split('|').map((cell) => cell.trim())
    const named = [...codes.matchAll(/`([a-z]+_[a-z_]+|overloaded)`/g)].map(([, code = '']) => code)
    listed.set(status, [...(listed.get(status) ?? []), ...named])
  }
  for (const [status, codes] of Object.entries(httpErrors)) {
    const ofCallers = Object.keys(codes).filter((code) => !ofOthers.test(code))
    expect([status, (listed.get(status) ?? []).sort()]).toEqual([status, ofCallers.sort()])
  }
})
