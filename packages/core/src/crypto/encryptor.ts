import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { ClienteleError } from '../errors.ts'

interface BoxKey {
  /** Says which secret a text was sealed under, and nothing of the secret. */
  id: string
  key: Buffer
}

/**
 * Encrypts what must be read again: private signing keys, TOTP secrets. AES-256-GCM (NIST SP 800-38D) under keys that
 * HKDF (RFC 5869) derives from the secrets. The first secret seals, all of them open, so that one can be changed
 * without an outage.
 */
export class Encryptor {
  readonly #keys: readonly [BoxKey, ...BoxKey[]]

  constructor(secrets: readonly string[]) {
    const [first, ...others] = secrets.map(deriveKey)
    if (first === undefined || secrets.some((secret) => secret.trim() === '')) {
      throw new ClienteleError('secret_required', 'Give at least one secret, and no empty one.')
    }
    this.#keys = [first, ...others]
  }

  /** Seals a text. `purpose` is bound to it: it opens under the same purpose only. */
  encrypt(text: string, purpose: string): string {
    const [{ key }] = this.#keys
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
    const encrypted = Buffer.concat([
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return `${this.prefix}${nonce.toString('base64url')}.${encrypted.toString('base64url')}`
  }

  /** @throws ClienteleError `secret_wrong` when none of the secrets opens it */
  decrypt(encrypted: string, purpose: string): string {
    const [version, id, nonce = '', content = ''] = encrypted.split('.')
    const match = this.#keys.find((candidate) => candidate.id === id)
    if (version !== 'v1' || match === undefined) throw wrongSecret()
    const bytes = Buffer.from(content, 'base64url')
    try {
      const decipher = createDecipheriv('aes-256-gcm', match.key, Buffer.from(nonce, 'base64url'))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString(
        'utf8',
      )
    } catch (cause) {
      throw wrongSecret(cause)
    }
  }

  /** How everything begins that is sealed under the first secret. */
  get prefix(): string {
    return `v1.${this.#keys[0].id}.`
  }

  /** Whether a sealed text should be sealed again because its secret is no longer the first. */
  isStale(encrypted: string): boolean {
    return !encrypted.startsWith(this.prefix)
  }
}

function deriveKey(secret: string): BoxKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, 'clientele', info, length))
  return { id: derive('key id', 6).toString('base64url'), key: derive('encryption', 32) }
}

function wrongSecret(cause?: unknown): ClienteleError {
  return new ClienteleError(
    'secret_wrong',
    'What is stored was encrypted under another secret. Start with the secret that was used before; to change it, ' +
      'give both, the new one first: CLIENTELE_SECRET=new,old.',
    { cause },
  )
}
