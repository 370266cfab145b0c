import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponse,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RegistrationResponse,
} from '@clientele/core'

export const site = { rpId: 'example.com', rpName: 'Acme', origins: ['https://example.com'] }

/** What an authenticator may do otherwise than it should. */
export interface Behaviour {
  origin?: string
  /** Whether a page of another origin frames the page, and which */
  crossOrigin?: boolean
  topOrigin?: string
  rpId?: string
  /** In place of the options' own */
  challenge?: string
  /** `webauthn.create` and `webauthn.get` */
  type?: string
  isUserPresent?: boolean
  isUserVerified?: boolean
  /** Whether it may be on several devices */
  isSynced?: boolean
  counter?: number
  userHandle?: string | null
  /** CBOR of `fmt` and `attStmt` */
  attestation?: { fmt: string; attStmt: Cbor }
}

interface Credential {
  id: Buffer
  key: KeyObject
  rpId: string
  userHandle: string
  counter: number
}

type Cbor = number | string | Buffer | Cbor[] | Map<number | string, Cbor>

function cbor(value: Cbor): Buffer {
  const head = (major: number, count: number): Buffer => {
    if (count < 24) return Buffer.from([(major << 5) | count])
    if (count < 256) return Buffer.from([(major << 5) | 24, count])
    return Buffer.from([(major << 5) | 25, count >> 8, count & 255])
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)])
  return Buffer.concat([head(5, value.size), ...members])
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()

/** An authenticator and its browser, in software: ES256, and no attestation (WebAuthn Level 3, section 6). */
export class SoftwareAuthenticator {
  readonly #credentials: Credential[] = []
  readonly #behaviour: Behaviour

  constructor(behaviour: Behaviour = {}) {
    this.#behaviour = behaviour
  }

  /** `navigator.credentials.create` */
  create(options: PasskeyCreationOptions, behaviour: Behaviour = {}): RegistrationResponse {
    const all = { ...this.#behaviour, ...behaviour }
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const credential = {
      id: randomBytes(16),
      key: privateKey,
      rpId: options.rp.id,
      userHandle: options.user.id,
      counter: all.counter ?? 0,
    }
    this.#credentials.push(credential)
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const coseKey = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
    const length = Buffer.from([0, credential.id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, credential.id, coseKey])
    const authData = Buffer.concat([this.#authenticatorData(credential, all, 64), attested])
    const { fmt, attStmt } = all.attestation ?? { fmt: 'none', attStmt: new Map() }
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    )
    return {
      ...this.#named(credential),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, all).toString(
          'base64url',
        ),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    }
  }

  /** Makes the response of another ceremony for a passkey that was made already. */
  recreate(made: RegistrationResponse, options: PasskeyCreationOptions): RegistrationResponse {
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, this.#behaviour)
    const response = { ...made.response, clientDataJSON: clientDataJSON.toString('base64url') }
    return { ...made, response }
  }

  /** `navigator.credentials.get`: with a passkey that the options name, or else with the newest */
  get(options: PasskeyRequestOptions, behaviour: Behaviour = {}): AuthenticationResponse {
    const all = { ...this.#behaviour, ...behaviour }
    const allowed = options.allowCredentials?.map(({ id }) => id)
    const credential =
      this.#credentials.find(({ id }) => allowed?.includes(id.toString('base64url'))) ??
      this.#credentials.at(-1)
    if (credential === undefined) throw new Error('There is no passkey.')
    credential.counter = all.counter ?? credential.counter
    const authData = this.#authenticatorData(credential, all, 0)
    const clientData = this.#clientData('webauthn.get', options.challenge, all)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return {
      ...this.#named(credential),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, credential.key).toString('base64url'),
        userHandle: all.userHandle === undefined ? credential.userHandle : all.userHandle,
      },
    }
  }

  #named({ id }: Credential) {
    const name = id.toString('base64url')
    return { id: name, rawId: name, type: 'public-key' as const }
  }

  #clientData(type: string, challenge: string, behaviour: Behaviour): Buffer {
    const { origin = site.origins[0], crossOrigin = false, topOrigin } = behaviour
    const said = {
      type: behaviour.type ?? type,
      challenge: behaviour.challenge ?? challenge,
      origin,
    }
    return Buffer.from(JSON.stringify({ ...said, crossOrigin, topOrigin }))
  }

  #authenticatorData(credential: Credential, behaviour: Behaviour, more: number): Buffer {
    const { isUserPresent = true, isUserVerified = true, isSynced = false } = behaviour
    const flags = (isUserPresent ? 1 : 0) + (isUserVerified ? 4 : 0) + (isSynced ? 24 : 0) + more
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(credential.counter)
    return Buffer.concat([sha256(behaviour.rpId ?? credential.rpId), Buffer.from([flags]), counter])
  }
}
