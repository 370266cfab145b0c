import { describe, expect, test } from 'vitest'
import { countLayouts } from '../../packages/core/src/base/input/count-layouts.ts'
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

describe('the layouts of objects are counted', () => {
  test.each([
    ['[0, "a", ["b"]]', 0],
    ['{}', 0],
    ['{"a":1,"b":"a","c":[1,"d"]}', 3],
    ['[{"a":1,"b":2},{"a":"c","b":[]},{"a":{}}]', 2],
    ['[{"a":1,"b":2},{"b":1,"a":2}]', 4],
    ['[{"a":{"a":1,"b":1}, "c":2}, {"a":[{"a":0},"x"],"c":"y","d":1}]', 4],
    [String.raw`[{"a\"\\":1},{"a\"\\":[{"\"":0}] ,"}":2}]`, 3],
    ['{"ключ":0,"ключи":{"ключ":0}}', 2],
  ])('%s', (text, layouts) => {
    JSON.parse(text)
    expect(countLayouts(new TextEncoder().encode(text), 100)).toBe(layouts)
  })

  test('invalid or truncated text is no error, and a count ends above its limit', () => {
    const encode = (text: string) => new TextEncoder().encode(text)
    for (const text of ['', '"', '{"', '{"a', ']]]"a"', '{{{"a":', ',"a",', '}{"a"']) {
      const count = countLayouts(encode(text), 100)
      expect(count).toBeLessThan(3)
    }
    const many = Array.from({ length: 1_000 }, (_, at) => `"${at}":0`)
    expect(countLayouts(encode(`{${many}}`), 100)).toBe(101)
    expect(countLayouts(encode(`{${many}}`), 1_000)).toBe(1_000)
  })
})
