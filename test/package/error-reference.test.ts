import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClienteleError, type ErrorCode } from '@clientele/core'
import { expect, test } from 'vitest'
import { statusByCode } from '../../packages/core/src/http/problem-details.ts'
import { root } from './source-files.ts'

const source = readFileSync(join(root, 'packages/core/src/base/errors.ts'), 'utf8')
const localCodes = /export type LocalErrorCode =(.*?)\n\n/s.exec(source)?.[1]?.match(/\w+/g) ?? []

// `npm test -- package/error-reference -u` writes it anew.
test('the error reference names every code', async () => {
  const row = (status: number | string, code: string) =>
    `| ${status} | \`${code}\` | ${new ClienteleError(code as ErrorCode).message} |` // from the lists of codes
  const text = [
    '# Error codes of Clientele',
    '',
    'Over HTTP an error is a problem document (RFC 9457) whose `code` is one of these and whose `type` is',
    '`urn:clientele:problem:<code>`; in process it is a `ClienteleError` with the same `code`. Decide by the code: the',
    'message may change.',
    '',
    '| status | code | message |',
    '|---|---|---|',
    ...Object.entries(statusByCode)
      .sort(([, a], [, b]) => a - b)
      .map(([code, status]) => row(status, code)),
    '',
    'Only the program that embeds Clientele can meet these:',
    '',
    '| code | message |',
    '|---|---|',
    ...localCodes.map((code) => row('', code).slice(3)),
    '',
  ].join('\n')
  expect(localCodes).toContain('secret_wrong')
  expect(text).not.toContain('undefined')
  await expect(text).toMatchFileSnapshot(join(root, 'packages/core/ERRORS.md'))
})

test('the README leads to it', () => {
  expect(readFileSync(join(root, 'packages/core/README.md'), 'utf8')).toContain(
    '/packages/core/ERRORS.md)',
  )
})
