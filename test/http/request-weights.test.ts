import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HttpRequest } from '../../packages/core/src/http/message.ts'
import type { Route } from '../../packages/core/src/http/route.ts'
import {
  bytesOf,
  itemsOf,
  mostBytesOf,
  type Received,
} from '../../packages/core/src/mount/receive-body.ts'
import { usualEntriesOf, weighRequest } from '../../packages/core/src/mount/weigh-request.ts'

const request = (headers: HttpRequest['headers'] = {}) => ({ headers }) as HttpRequest // all that is read of it

test.each([
  ['', 0, 1],
  ['', 1_000, 16],
  ['page=2', 100, 10],
  ['limit=10', 1_000, 1],
  ['limit=1000', 10, 16],
  ['page=1&limit=100', 10, 10],
  // The same page in other spellings
  ['limit=%31000', 10, 16],
  ['%6cimit=1000', 10, 16],
  ['limit=%31%30%30', 10, 10],
  // Refused later
  ['limit=many', 100, 10],
  ['limit=%zz', 100, 10],
  ['nolimit=1000', 10, 1],
])('the query %j of a route with %i entries weighs %i', (query, usualEntries, weight) => {
  expect(weighRequest(0, query, usualEntries)).toBe(weight)
})

test('a body weighs by its length', () => {
  expect(weighRequest(8192, '', 0)).toBe(3)
  expect(weighRequest(9_999_999, '', 0)).toBe(16)
})

test.each([
  ['none', undefined, 0],
  ['one in chunks, whatever is announced', { bytes: new Uint8Array(300) }, 300],
  ['one that the host has parsed', { parsed: {} }, 900],
])('the bytes of a body: %s', (_, received: Received, bytes) => {
  const headers = received === undefined ? {} : { 'content-length': '900' }
  const route = {} as Route // without a limit of its own
  expect(bytesOf(request(headers), route, received)).toBe(bytes)
})

const batch = { looksUpItems: true } as Route // all that is read of it
const tokens = (count: number) => ({ tokens: new Array(count).fill('Bearer x') })

test.each([
  ['none', batch, undefined, 0],
  ['one token', batch, { bytes: Buffer.from(JSON.stringify(tokens(1))) }, 1],
  ['a hundred tokens', batch, { bytes: Buffer.from(JSON.stringify(tokens(100))) }, 100],
  ['a hundred that the host has parsed', batch, { parsed: tokens(100) }, 100],
  ['nothing that the host has parsed', batch, { parsed: null }, 0],
  ['more than there may be', batch, { bytes: Buffer.alloc(9_999, ',') }, 1_000],
  ['a fault', batch, { fault: new Error() }, 0],
  ['of another route', {} as Route, { bytes: Buffer.from('1,2') }, 0],
])('the items of a body that are looked up: %s', (_, route, received: Received, items) => {
  expect(itemsOf(route, received)).toBe(items)
})

test('a body in chunks that the host has parsed counts as the largest', () => {
  const chunked = request({ 'transfer-encoding': 'chunked' })
  expect(bytesOf(chunked, {} as Route, { parsed: {} })).toBe(64 * 1024) // without a limit of its own
})

test('the usual number of entries is the default of the query', () => {
  const querySchema = z.object({ limit: z.number().default(1_000) })
  expect(usualEntriesOf({ querySchema })).toBe(1_000)
  expect(usualEntriesOf({ querySchema: z.object({ id: z.string() }) })).toBe(0)
  expect(usualEntriesOf({})).toBe(0)
})

const json = { 'content-type': 'application/json' }

test.each([
  ['none', {}, 0],
  ['an empty one', { ...json, 'content-length': '0' }, 0],
  ['a short one', { ...json, 'content-length': '300' }, 300],
  ['one over the limit', { ...json, 'content-length': '99999999' }, 64 * 1024],
  ['one in chunks', { ...json, 'transfer-encoding': 'chunked' }, 64 * 1024],
])('the most bytes of a body: %s', (_, headers: HttpRequest['headers'], bytes) => {
  expect(mostBytesOf(request(headers), {} as Route)).toBe(bytes) // without a limit of its own
})
