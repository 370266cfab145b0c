import { expect, test } from 'vitest'
import { type Revocation, RevocationList } from '../../packages/validator/src/revocation-list.ts'

const at = Date.now() - 60_000
const idOf = (time: number) => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
const [sub, kid] = ['a user', 'a key']
const dead: Revocation = {
  ...{ type: 'user', user_id: sub, not_before: new Date(at).toISOString() },
  own_tokens_not_before: new Date(at + 10_000).toISOString(),
}
/** As an activation has it */
const { own_tokens_not_before: _, ...milder } = dead
const ofProgram = {
  ...{ iss: 'an issuer', aud: 'an account', sub, amr: [] as string[], exp: at / 1000 + 600 },
  ...{ iat: Math.floor((at + 1_000) / 1000), jti: idOf(at + 1_000) },
  ...{ sid: idOf(at - 1_000), user_token_id: idOf(at - 1_000), scope: '' },
}

test.each([[[dead, milder]], [[milder, dead]]])(
  'no entry takes the place of another one of the same millisecond',
  (entries) => {
    const list = new RevocationList(600_000)
    for (const entry of [...entries, ...entries]) list.add(entry)
    expect(list.has(ofProgram, kid)).toBe(true)
  },
)
