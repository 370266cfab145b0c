import { describe, expect, test } from 'vitest'
import { measureJsonText } from '../../packages/core/src/base/input/measure-json-text.ts'

const measure = (text: string) => measureJsonText(new TextEncoder().encode(text))

/** The same, counted in what the text says */
function count(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 }
  const parts = Object.values(value).map(count)
  return {
    values: parts.reduce((sum, { values }) => sum + values, 1),
    depth: parts.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
  }
}

describe('the values and the depth of a JSON text are measured', () => {
  test.each([
    '0',
    ' "a" ',
    '[]',
    '{ }',
    '[[], [], {}]',
    '{"a":{"b":[1,2,{"c":null}]},"d":""}',
    String.raw`["[{,\"\\",{"]}\\":"\""}]`,
    '[ \n[ \t[ ] ] ,\r 1 ]',
    '["ü\u2028𝄞", {"ключ": ["値", "値"]}]',
  ])('%s', (text) => {
    expect(measure(text)).toEqual(count(JSON.parse(text)))
  })
})

test('invalid or truncated text is measured, too', () => {
  for (const text of ['', '"', '"\\', '[', ']]]', '{"a":', ',,,,'])
    expect(measure(text).values).toBeGreaterThan(0)
})
