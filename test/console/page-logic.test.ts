import { describe, expect, test } from 'vitest'
import type { Issuer } from '../../packages/console/src/page/screens/issuers/issuer.ts'
import {
  findKeysIssue,
  newIssuerDraft,
  toIssuerChanges,
  toIssuerDraft,
  toNewIssuer,
} from '../../packages/console/src/page/screens/issuers/issuer-draft.ts'
import {
  everSigns,
  findDrawnTime,
  findNextChange,
  listPhases,
} from '../../packages/console/src/page/screens/signing-keys/key-phases.ts'
import type { SigningKey } from '../../packages/console/src/page/screens/signing-keys/signing-key.ts'
import { gatherBatch } from '../../packages/console/src/page/screens/transfer/import-batch.ts'
import type { ImportRecord } from '../../packages/console/src/page/screens/transfer/import-record.ts'
import {
  compareDrafts,
  mergeDrafts,
} from '../../packages/console/src/page/screens/users/compare-drafts.ts'
import { emptyDraft } from '../../packages/console/src/page/screens/users/user-draft.ts'
import { countLayouts } from '../../packages/core/src/base/input/count-layouts.ts'
import { measureJsonText } from '../../packages/core/src/base/input/measure-json-text.ts'

describe('two versions of a user', () => {
  const base = { ...emptyDraft, name: 'Ada', email: 'ada@example.com', metadata: '{"plan":"pro"}' }

  test('each differing field names who changed it', () => {
    const mine = { ...base, name: 'My Ada', roles: ['mine'], isActive: false }
    const theirs = { ...base, email: 'their@example.com', roles: ['theirs'], isActive: false }
    expect(compareDrafts(base, mine, theirs)).toEqual([
      { field: 'name', changedBy: 'me' },
      { field: 'email', changedBy: 'them' },
      { field: 'roles', changedBy: 'both' },
    ])
  })

  test('JSON formatting and surrounding spaces do not count as differences', () => {
    const theirs = { ...base, name: 'Ada ', metadata: '{\n  "plan": "pro"\n}' }
    expect(compareDrafts(base, base, theirs)).toEqual([])
  })

  test('chosen fields and a typed password are mine; other fields are theirs', () => {
    const mine = { ...base, name: 'My Ada', password: 'my password' }
    const theirs = { ...base, name: 'Their Ada', roles: ['theirs'] }
    expect(mergeDrafts(mine, theirs, ['name'])).toEqual({ ...mine, roles: ['theirs'] })
    expect(mergeDrafts(mine, theirs, [])).toEqual({ ...theirs, password: 'my password' })
  })
})

describe('an issuer', () => {
  const issuer: Issuer = {
    ...{ id: '1', issuer: 'https://login.example.com', audience: ['api'] },
    ...{ client_id_as_audience: false, algorithms: ['RS256'], user_claim: 'sub' },
    ...{ user_lookup: 'id', key_source: 'jwks_url', public_keys: null },
    ...{ jwks_url: 'https://login.example.com/keys', max_lifetime_seconds: 3600 },
    ...{ trust_unverified_email: false, sign_in: false, link_by_email: false },
    ...{ nonce: 'required', max_age_seconds: null },
    ...{ created_at: '2026-11-22T00:00:00.000Z', updated_at: '2026-11-22T00:00:00.000Z' },
  }

  test('only changed members are sent', () => {
    const draft = toIssuerDraft(issuer)
    expect(toIssuerChanges(draft, issuer)).toEqual({})
    expect(toIssuerChanges({ ...draft, audience: ['api', 'app'] }, issuer)).toEqual({
      audience: ['api', 'app'],
    })
    expect(toIssuerChanges({ ...draft, signIn: true, maxAgeSeconds: '60' }, issuer)).toEqual({
      ...{ sign_in: true, link_by_email: false, nonce: 'required', max_age_seconds: 60 },
    })
  })

  test('choosing discovery replaces the given keys', () => {
    const draft = { ...toIssuerDraft(issuer), keySource: 'discovery' } as const
    expect(toIssuerChanges(draft, issuer)).toEqual({ jwks_url: null })
  })

  test('a shared secret stays when none is typed', () => {
    const shared: Issuer = { ...issuer, key_source: 'shared_secret', jwks_url: null }
    expect(toIssuerChanges(toIssuerDraft(shared), shared)).toEqual({})
  })

  test('a key set, a list of keys and a single key are accepted; other texts are not', () => {
    const publicKeys = (text: string) =>
      ({ ...newIssuerDraft, keySource: 'public_keys', publicKeys: text }) as const
    const key = { kty: 'EC' }
    for (const value of [{ keys: [key] }, [key], key]) {
      const draft = publicKeys(JSON.stringify(value))
      expect(findKeysIssue(draft)).toBeUndefined()
      expect(toNewIssuer(draft)).toMatchObject({ public_keys: [key] })
    }
    expect(findKeysIssue(publicKeys('-----BEGIN PUBLIC KEY-----'))).toBeDefined()
    expect(findKeysIssue(newIssuerDraft)).toBeUndefined()
  })
})

describe('the phases of signing keys', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 12, minute)).toISOString()
  const key = (signs: number, retired: number | null): SigningKey => ({
    ...{ id: 'k', algorithm: 'ES256', status: 'active', public_jwk: {} },
    ...{
      created_at: at(0),
      signs_at: at(signs),
      retired_at: retired === null ? null : at(retired),
    },
  })
  const phasesOf = (one: SigningKey, now: number) =>
    listPhases(one, findDrawnTime([one], Date.parse(at(now)))).map(({ kind, from, to }) => [
      kind,
      (from - Date.parse(at(0))) / 60_000,
      (to - Date.parse(at(0))) / 60_000,
    ])

  test('a key is published, then signs, then verifies only', () => {
    const drawnEnd = 50 + 0.12 * 50
    expect(phasesOf(key(20, 40), 50)).toEqual([
      ['published', 0, 20],
      ['signing', 20, 40],
      ['retired', 40, drawnEnd],
    ])
    expect(phasesOf(key(0, null), 50)).toEqual([['signing', 0, drawnEnd]])
  })

  test('a key that is retired before its start never signs', () => {
    const retired = key(20, 5)
    expect(everSigns(retired)).toBe(false)
    expect(phasesOf(retired, 10).map(([kind]) => kind)).toEqual(['published', 'retired'])
  })

  test('the next change is the first one in the future', () => {
    const keys = [key(20, 40), key(30, null)]
    expect(findNextChange(keys, Date.parse(at(25)))).toBe(Date.parse(at(30)))
    expect(findNextChange(keys, Date.parse(at(45)))).toBeUndefined()
  })
})

describe('batches of an import', () => {
  async function gatherAll(values: readonly unknown[]) {
    async function* records(): AsyncGenerator<ImportRecord> {
      for (const [index, value] of values.entries()) yield { line: index + 1, value }
    }
    const iterator = records()
    const batches = []
    for (;;) {
      const batch = await gatherBatch(iterator, false)
      if (batch === undefined) return batches
      batches.push(batch)
    }
  }
  const nest = (depth: number): unknown => (depth === 0 ? 0 : [nest(depth - 1)])

  test('each batch fits the limits of the server, and no record is missing', async () => {
    const large = { name: 'ü𝄞'.repeat(20_000) }
    const many = { roles: Array.from({ length: 4_000 }, () => 0) }
    const small = { name: 'Ada', metadata: nest(30) }
    const named = (from: number) => ({
      name: ','.repeat(8_000),
      metadata: Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`n${from + i}`, i])),
    })
    const values = [
      ...[...Array(5).fill(large), ...Array(12).fill(many), ...Array(900).fill(small)],
      ...[named(0), named(0), named(5_000), named(9_000), ...Array(3).fill(many)],
    ]
    const batches = await gatherAll(values)
    expect(batches.flatMap(({ lines }) => lines)).toEqual(values.map((_, index) => index + 1))
    expect(batches.flatMap(({ faults }) => faults)).toEqual([])
    for (const batch of batches) {
      const text = JSON.stringify({ records: batch.values })
      expect(Buffer.byteLength(text)).toBeLessThan(500 * 1024)
      const { values } = measureJsonText(Buffer.from(text))
      expect(values).toBeLessThan(20_000)
      expect(countLayouts(Buffer.from(text), 5_000)).toBeLessThan(2_500)
      expect(batch.values.length).toBeLessThanOrEqual(500)
    }
  })

  test('a record for which the server would refuse its batch is an error of its line', async () => {
    const [batch] = await gatherAll([
      { name: 'x'.repeat(200_000) },
      { roles: Array.from({ length: 5_001 }, () => 0) },
      { metadata: nest(33) },
      { metadata: Object.fromEntries(Array.from({ length: 1_400 }, (_, i) => [`n${i}`, i])) },
      { name: '[[{'.repeat(20), metadata: nest(31) },
    ])
    expect(batch?.faults.map(({ line }) => line)).toEqual([1, 2, 3, 4])
    expect(batch?.lines).toEqual([5])
  })
})
