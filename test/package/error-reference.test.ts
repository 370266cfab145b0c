import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClienteleError, type ErrorCode } from '@clientele/core'
import { expect, test } from 'vitest'
import { httpErrors, localErrors } from '../../packages/core/src/base/errors.ts'
import { root } from './source-files.ts'

// `npm test -- package/error-reference -u` writes it anew.
test('the error reference names every code', async () => {
  const row = (code: string, sentence: string) => {
    expect(new ClienteleError(code as ErrorCode).message).toBe(sentence) // from the table of codes
    return `| \`${code}\` | ${sentence} |`
  }
  const text = [
    '# Error codes of Clientele',
    '',
    'Over HTTP an error is a problem document (RFC 9457) whose `code` is one of these and whose `type` is',
    '`urn:clientele:problem:<code>`; in process it is a `ClienteleError` with the same `code`. Decide by the code: the',
    'message may change. On the site of the documentation each code has a page: `/problem/<code>/`.',
    '',
    '| status | code | message |',
    '|---|---|---|',
    ...Object.entries(httpErrors).flatMap(([status, codes]) =>
      Object.entries(codes).map((entry) => `| ${status} ${row(...entry)}`),
    ),
    '',
    'These occur only in process:',
    '',
    '| code | message |',
    '|---|---|',
    ...Object.entries(localErrors).map((entry) => row(...entry)),
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot(join(root, 'packages/core/ERRORS.md'))
})

test('the README links to the error reference', () => {
  expect(readFileSync(join(root, 'packages/core/README.md'), 'utf8')).toContain(
    '/packages/core/ERRORS.md)',
  )
})
