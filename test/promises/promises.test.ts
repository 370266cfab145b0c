import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { switchedOffGuards } from '../histories/switched-off-guards.ts'
import { guards } from '../model/guards.ts'
import { documents, otherDocuments, readBlocks, splitSentences } from './documents.ts'
import { notTestable } from './not-testable.ts'
import { promises } from './promises.ts'
import { provenElsewhere } from './proven-elsewhere.ts'

// `node run.mjs promises` proves the entries: here are only their texts compared.

const blocks = documents.flatMap(readBlocks)
const otherBlocks = otherDocuments.flatMap(readBlocks)
const root = join(import.meta.dirname, '../..')
const entries = [...promises, ...provenElsewhere, ...notTestable]
const said = entries.flatMap((entry) => entry.said)

test('each text of an entry stands in one place of the documents', () => {
  const texts = [
    ...blocks.map(({ text }) => text),
    ...new Set(blocks.map(({ heading }) => heading)),
  ]
  const otherTexts = otherBlocks.map(({ text }) => text)
  const count = (part: string, all: string[]) => all.filter((text) => text.includes(part)).length
  // What stands in the documents may stand in the others, too: there it needs no entry.
  const wrong = said.filter((part) => (count(part, texts) || count(part, otherTexts)) !== 1)
  expect(wrong).toEqual([])
})

test('no text is in two entries', () => {
  expect(said.filter((text, index) => said.indexOf(text) !== index)).toEqual([])
})

test.each(documents)('each paragraph, item and row of %s has an entry', (document) => {
  const without = blocks.filter(
    (block) =>
      block.document === document &&
      !said.some(
        (part) => block.text.includes(part) || part === block.heading || part === block.head,
      ),
  )
  expect(without.map(({ text }) => text)).toEqual([])
})

test('each sentence of the guarantees has an entry', () => {
  const without = blocks
    .filter(({ heading }) => heading === '## Guarantees')
    .flatMap((block) => {
      const places = said.map((part) => ({ at: block.text.indexOf(part), length: part.length }))
      return splitSentences(block)
        .filter(
          ({ start, end }) =>
            !places.some(({ at, length }) => at !== -1 && at < end && at + length > start),
        )
        .map(({ start, end }) => block.text.slice(start, end))
    })
  expect(without).toEqual([])
})

describe.each(promises)('$said.0', ({ test: { file, name, titleIn }, broken }) => {
  test('names a test that exists', () => {
    // What stands for a value in a title is another text when it runs.
    expect(name).not.toMatch(/%[a-z]|\$\w/)
    expect(existsSync(join(root, `test/${file}.test.ts`))).toBe(true)
    const place = titleIn === undefined ? `${file}.test.ts` : `${titleIn}.ts`
    expect(readFileSync(join(root, 'test', place), 'utf8')).toContain(name)
  })

  test.each(broken)('changes one place of $file', ({ file, from, to }) => {
    const parts = readFileSync(join(root, 'packages', file), 'utf8').split(from)
    expect(parts).toHaveLength(2)
    expect(to).not.toBe(from)
  })
})

test('what is proven elsewhere has a guard there', () => {
  const names = {
    model: guards.map(({ name }) => name),
    histories: switchedOffGuards.map(({ what }) => what),
  }
  const missing = provenElsewhere.filter(({ by, guard }) => !names[by].includes(guard))
  expect(missing).toEqual([])
})
