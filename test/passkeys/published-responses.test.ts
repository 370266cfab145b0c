import { describe, expect, test } from 'vitest'
import { SignatureTurns } from '../../packages/core/src/base/runtime/signature-turns.ts'
import {
  toUserHandle,
  verifyRegistration,
  verifyUse,
} from '../../packages/core/src/capabilities/passkeys/verify-response.ts'
import {
  authenticationResponseSchema,
  registrationResponseSchema,
} from '../../packages/core/src/capabilities/passkeys/webauthn-responses.ts'
import { codeOf } from '../keys/open-clientele.ts'
import published from './simplewebauthn-fixtures.json' with { type: 'json' }

// Real responses, which others have published. Over HTTP they cannot be sent: what a browser signs for us is a hash of a
// random challenge, and no challenge can be found for a hash that was signed elsewhere. So they go to what reads and
// verifies them behind the routes: the schemas and the functions that the routes use.

/** Responses that are verified there and refused here, or the other way round; the reasons are in the guide. */
const otherwise: Record<string, 'accepted' | 'refused'> = {
  // Algorithms that not every runtime verifies, or with SHA-1; we do not offer them to browsers.
  'validate TPM RSA response (SHA1)': 'refused',
  'verify SHA1 TPM response': 'refused',
  'verify Packed attestation with RSA-PSS SHA-256 public key': 'refused',
  'verify Packed attestation with RSA-PSS SHA-384 public key': 'refused',
  // Who made the authenticator is not asked.
  'enforce CTS check by default': 'accepted',
  'fail if id-fido-gen-ce-aaguid extension is present and does not match AAGUID in auth data':
    'accepted',
  'fail if id-fido-gen-ce-aaguid extension is present and does not match AAGUID in auth data (2)':
    'accepted',
}

const userId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const stranger = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e90'

interface Published {
  name: string
  /** Whether it is verified there */
  accepts: boolean
  challenge: string
  origins: string[]
  rpId: string
  requireUserVerification: boolean
  counter?: number | undefined
  publicKey?: string | undefined
}

interface Registration extends Published {
  response: { id: string; response: object }
}

interface Authentication extends Published {
  response: { response: Record<'authenticatorData' | 'clientDataJSON' | 'signature', string> }
  credential: { id: string; publicKey: string; counter: number }
}

const registrations: readonly Registration[] = published.registrations
const authentications: readonly Authentication[] = published.authentications

const settingsOf = ({ rpId, origins }: { rpId: string; origins: string[] }) => ({
  ...{ rpId, origins, rpName: 'Acme', requireToken: false },
})

function register({ response, ...expected }: Registration) {
  const { challenge, requireUserVerification } = expected
  const given = registrationResponseSchema.parse(response)
  const settings = settingsOf(expected)
  return verifyRegistration(given, { settings, challenge, requireUserVerification })
}

interface Change {
  userHandle?: string
  counter?: number
  isSynced?: boolean
}

function use({ response, credential, ...expected }: Authentication, change: Change = {}) {
  const { userHandle, counter = credential.counter, isSynced = false } = change
  const { challenge, requireUserVerification } = expected
  const answered = { ...response.response, ...(userHandle !== undefined && { userHandle }) }
  const given = authenticationResponseSchema.parse({ ...response, response: answered })
  const { id: credentialId, publicKey } = credential
  const passkey = {
    ...{ id: stranger, userId, credentialId, publicKey, counter, isSynced, rpId: expected.rpId },
    ...{ name: 'Passkey', transports: [], backedUp: false, createdAt: 0, lastUsedAt: null },
    use: 'first_factor' as const,
  }
  const settings = settingsOf(expected)
  const services = { signatures: new SignatureTurns() }
  const about = { settings, challenge, requireUserVerification }
  return verifyUse(services, { accountId: 'x' }, given, passkey, about)
}

const isAccepted = ({ name, accepts }: { name: string; accepts: boolean }): boolean =>
  name in otherwise ? otherwise[name] === 'accepted' : accepts
const outcomeOf = async (verified: Promise<unknown>): Promise<'accepted' | string | undefined> =>
  (await codeOf(verified)) ?? 'accepted'

describe('the responses that @simplewebauthn/server is tested with', () => {
  test.each(registrations)('registration: $name', async (fixture) => {
    const verified = register(fixture)
    expect(await outcomeOf(verified)).toBe(isAccepted(fixture) ? 'accepted' : 'passkey_invalid')
    if (!isAccepted(fixture)) return
    const { credentialId, counter, publicKey } = await verified
    expect(credentialId).toBe(fixture.response.id)
    if (fixture.counter !== undefined) expect(counter).toBe(fixture.counter)
    if (fixture.publicKey !== undefined) expect(publicKey).toBe(fixture.publicKey)
  })

  test.each(authentications)('authentication: $name', async (fixture) => {
    const verified = use(fixture)
    expect(await outcomeOf(verified)).toBe(isAccepted(fixture) ? 'accepted' : 'passkey_invalid')
    if (fixture.counter !== undefined) expect((await verified).counter).toBe(fixture.counter)
  })

  test('the list of responses is not empty', () => {
    const all = [...registrations, ...authentications]
    const names = all.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(otherwise)))
    expect(new Set(all.map(isAccepted))).toEqual(new Set([true, false]))
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the same responses for a changed passkey', () => {
  const [counted] = authentications
  if (counted === undefined) throw new Error('No response.')

  test.each<[string, Change, string]>([
    ['of its user', { userHandle: toUserHandle(userId) }, 'accepted'],
    ['of another user', { userHandle: toUserHandle(stranger) }, 'passkey_invalid'],
    ['that has counted as far', { counter: 144 }, 'passkey_invalid'],
    ['that has counted further', { counter: 145 }, 'passkey_invalid'],
    ['that has counted further on another device', { counter: 145, isSynced: true }, 'accepted'],
  ])('%s', async (_, change, outcome) => {
    expect(await outcomeOf(use(counted, change))).toBe(outcome)
  })

  test('whose user was not verified', async () => {
    const asked = { ...counted, requireUserVerification: true }
    expect(await outcomeOf(use(asked))).toBe('passkey_invalid')
  })

  test('whose response was changed in one place', async () => {
    for (const name of ['authenticatorData', 'signature', 'clientDataJSON'] as const) {
      const whole = counted.response.response[name]
      for (const at of [4, Math.floor(whole.length / 2), whole.length - 4]) {
        const other = whole[at] === 'A' ? 'B' : 'A'
        const changed = `${whole.slice(0, at)}${other}${whole.slice(at + 1)}`
        const answered = { ...counted.response.response, [name]: changed }
        const response = { ...counted.response, response: answered }
        expect(await outcomeOf(use({ ...counted, response }))).toBe('passkey_invalid')
      }
    }
  })

  test('whose id beside the response is that of another', async () => {
    const [, packed] = registrations
    if (packed === undefined) throw new Error('No response.')
    const response = { ...packed.response, id: 'AAAA', rawId: 'AAAA' }
    expect(await outcomeOf(register({ ...packed, response }))).toBe('passkey_invalid')
  })
})
