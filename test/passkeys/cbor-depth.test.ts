import { expect, test } from 'vitest'
import { isDeepCbor } from '../../packages/core/src/capabilities/passkeys/cbor-depth.ts'

const nest = (unit: string, times: number, end = '00') =>
  Buffer.from(unit.repeat(times) + end, 'hex')

test.each([
  ['arrays', '81'],
  ['arrays that say their length in a byte', '9801'],
  ['maps', 'a100'],
  ['maps in keys', 'a1'],
  ['tags', 'c1'],
  ['arrays behind numbers', '8200'],
  ['arrays behind bytes', '82420102'],
])('%s are too deep from the seventeenth level on', (_, unit) => {
  expect(isDeepCbor(nest(unit, 16), 16)).toBe(false)
  expect(isDeepCbor(nest(unit, 17), 16)).toBe(true)
  expect(isDeepCbor(nest(unit, 8_000), 16)).toBe(true)
})

test('many items beside each other are not deep', () => {
  expect(isDeepCbor(Buffer.from(`9832${'8100'.repeat(50)}`, 'hex'), 2)).toBe(false)
  expect(isDeepCbor(Buffer.from(`82${'80'}${'81'.repeat(3)}00`, 'hex'), 3)).toBe(true)
})

test('byte strings are skipped, and truncated CBOR is not deep', () => {
  expect(isDeepCbor(nest('', 0, `5820${'81'.repeat(32)}`), 16)).toBe(false)
  expect(isDeepCbor(new Uint8Array(), 16)).toBe(false)
  for (const cut of ['9b', '81', 'ff', '9f8181', '5affffffff', 'a1'])
    expect(isDeepCbor(Buffer.from(cut, 'hex'), 16)).toBe(false)
})
