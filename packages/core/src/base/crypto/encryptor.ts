import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { ClienteleError } from '../errors.ts'

interface DerivedKey {
  /** Names the secret that a text was encrypted under, without revealing it. */
  id: string
  key: Buffer
  digestKey: Buffer
}

type DerivedKeys = readonly [DerivedKey, ...DerivedKey[]]

/**
 * Encrypts data that must be decrypted later, such as private signing keys and TOTP secrets. AES-256-GCM (NIST SP
 * 800-38D) with keys that HKDF (RFC 5869) derives from the secrets. The first secret encrypts and every secret
 * decrypts, so that a secret can be rotated without an outage. The secrets are loaded on first use.
 */
export class Encryptor {
  readonly #readSecrets: () => readonly string[]
  #derived: DerivedKeys | undefined

  constructor(readSecrets: () => readonly string[]) {
    this.#readSecrets = readSecrets
  }

  /**
   * Loads the secrets now.
   *
   * @throws ClienteleError `secret_required`
   */
  deriveKeys(): DerivedKeys {
    this.#derived ??= deriveAll(this.#readSecrets())
    return this.#derived
  }

  /** `purpose` is bound to the ciphertext: decrypting needs the same purpose. */
  encrypt(text: string, purpose: string): string {
    const [{ key }] = this.deriveKeys()
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
    const encrypted = Buffer.concat([
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return `${this.prefix}${nonce.toString('base64url')}.${encrypted.toString('base64url')}`
  }

  /** Whether a text names one of the secrets as that under which it was encrypted. Any caller can write such a text. */
  namesKey(text: string): boolean {
    const [version, id] = text.split('.', 2)
    return version === 'v1' && this.deriveKeys().some((candidate) => candidate.id === id)
  }

  /** @throws ClienteleError `secret_wrong` when none of the secrets decrypts the text */
  decrypt(encrypted: string, purpose: string): string {
    const [version, id, nonce = '', content = ''] = encrypted.split('.')
    const match = this.deriveKeys().find((candidate) => candidate.id === id)
    if (version !== 'v1' || match === undefined) throw wrongSecret()
    const bytes = Buffer.from(content, 'base64url')
    try {
      const decipher = createDecipheriv('aes-256-gcm', match.key, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString(
        'utf8',
      )
    } catch (cause) {
      throw wrongSecret(cause)
    }
  }

  /**
   * A keyed digest (HMAC-SHA256) of a text that is not stored: an attacker with the database alone cannot guess the
   * text. `purpose` is bound to the digest.
   */
  digest(text: string, purpose: string): string {
    const [{ id, digestKey }] = this.deriveKeys()
    return `${id}.${createDigest(digestKey, text, purpose).toString('base64url')}`
  }

  /** Whether a digest was made from this text for this purpose. Also false when its secret is no longer given. */
  isDigestOf(digest: string, text: string, purpose: string): boolean {
    const [id, content = ''] = digest.split('.')
    const match = this.deriveKeys().find((candidate) => candidate.id === id)
    if (match === undefined) return false
    const given = Buffer.from(content, 'base64url')
    const made = createDigest(match.digestKey, text, purpose)
    return given.length === made.length && timingSafeEqual(given, made)
  }

  /** Whether a digest was made under one of the given secrets. */
  hasKeyOf(digest: string): boolean {
    const id = digest.split('.', 1)[0]
    return this.deriveKeys().some((candidate) => candidate.id === id)
  }

  /** The prefix of every text that is encrypted under the first secret. */
  get prefix(): string {
    return `v1.${this.deriveKeys()[0].id}.`
  }
}

function deriveAll(secrets: readonly string[]): DerivedKeys {
  const [first, ...others] = secrets.map(deriveKey)
  if (first === undefined) throw new ClienteleError('secret_required', 'Give at least one secret.')
  return [first, ...others]
}

function deriveKey(secret: string): DerivedKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, 'clientele', info, length))
  return {
    id: derive('key id', 6).toString('base64url'),
    key: derive('encryption', 32),
    digestKey: derive('digest', 32),
  }
}

function createDigest(key: Buffer, text: string, purpose: string): Buffer {
  // JSON, so that a text cannot imitate the end of a purpose.
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, text]))
    .digest()
}

function wrongSecret(cause?: unknown): ClienteleError {
  return new ClienteleError(
    'secret_wrong',
    'Stored secrets were encrypted under another secret. Start with the secret that was used before (on SQLite it may ' +
      'have been generated: see the file beside the database whose name ends in .secret). To change it where no other ' +
      'process runs, give both, the new one first: CLIENTELE_SECRET=new,old. With several processes, see the guide ' +
      'about several processes.',
    { cause },
  )
}
