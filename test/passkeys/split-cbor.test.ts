import { expect, test } from 'vitest'
import { splitCbor } from '../../packages/core/src/capabilities/passkeys/split-cbor.ts'

const limits = { levels: 16, items: 200 }

function split(hex: string, given = limits) {
  return splitCbor(Buffer.from(hex, 'hex'), given)?.map((item) => Buffer.from(item).toString('hex'))
}

test.each([
  ['arrays', '81'],
  ['arrays that say their length in a byte', '9801'],
  ['maps', 'a100'],
  ['tags', 'c1'],
])('%s in each other are refused from the seventeenth on', (_, unit) => {
  const nest = (times: number) => `${unit.repeat(times)}00`
  expect(split(nest(16))).toEqual([nest(16)])
  expect(split(nest(17))).toBeUndefined()
  expect(split(nest(4_000))).toBeUndefined()
})

test('maps in keys, and arrays behind other items, have levels, too', () => {
  expect(split(`${'a1'.repeat(16)}00${'00'.repeat(16)}`)).toHaveLength(1)
  expect(split(`${'a1'.repeat(17)}00${'00'.repeat(17)}`)).toBeUndefined()
  expect(split(`${'8200'.repeat(17)}00`)).toBeUndefined()
  expect(split(`${'82420102'.repeat(17)}00`)).toBeUndefined()
})

test('those beside each other are at one level', () => {
  expect(split(`9832${'8100'.repeat(50)}`, { levels: 2, items: 200 })).toHaveLength(1)
  expect(split(`82${'80'}${'81'.repeat(3)}00`, { levels: 3, items: 200 })).toBeUndefined()
})

test.each(['60', '40', '80', 'a0', '00', 'f6', 'f93c00', '1bffffffffffffffff'])(
  'at most 200 of %s are read, in an array or one after the other',
  (item) => {
    expect(split(`98c7${item.repeat(199)}`)).toEqual([`98c7${item.repeat(199)}`])
    expect(split(`98c8${item.repeat(200)}`)).toBeUndefined()
    expect(split(item.repeat(200))).toEqual(Array.from({ length: 200 }, () => item))
    expect(split(item.repeat(201))).toBeUndefined()
    expect(split(`992ee0${item.repeat(12_000)}`)).toBeUndefined()
  },
)

test('items one after the other are split, and the content of strings is skipped', () => {
  expect(split('')).toEqual([])
  expect(split(`5820${'81'.repeat(32)}01a1020363616263`)).toEqual([
    `5820${'81'.repeat(32)}`,
    '01',
    'a10203',
    '63616263',
  ])
})

test.each(['9b', '81', 'ff', '9f8181', '5affffffff', 'a1', '9bffffffffffffffff00', '42ff', '18'])(
  'what is cut off or of an indefinite length is refused: %s',
  (hex) => {
    expect(split(hex)).toBeUndefined()
  },
)
