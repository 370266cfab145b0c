import type { Call } from '../../base/call/call.ts'
import { findRsaProblem } from '../../base/crypto/find-rsa-problem.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import { loadWebAuthn } from './load-webauthn.ts'
import type { PasskeysServices } from './services.ts'
import { splitCbor } from './split-cbor.ts'
import type { PasskeyRecord } from './store.ts'
import type { AuthenticationResponse, RegistrationResponse } from './webauthn-responses.ts'

/** The signature algorithms of passkeys that every runtime supports: Ed25519, ES256, RS256 (COSE) */
export const passkeyAlgorithms = [-8, -7, -257]

/** An RSA key of 4,096 bits has about 530 bytes. */
const maxPublicKeyBytes = 1024
/** An id of 1,023 bytes, a key and their envelope; it is parsed several times. */
const maxAuthDataBytes = 2048
/**
 * Real ones have four levels and about twenty items. The library parses recursively, and takes a microsecond even for
 * an empty text.
 */
const cborLimits = { levels: 16, items: 200 }

type VerifiedPasskey = Pick<
  PasskeyRecord,
  'credentialId' | 'publicKey' | 'counter' | 'isSynced' | 'backedUp'
>

/** What a use of a passkey is verified by. */
export type KnownPasskey = Pick<
  PasskeyRecord,
  'credentialId' | 'publicKey' | 'counter' | 'isSynced' | 'rpId' | 'userId'
>

/** The data of a verified use of a passkey. */
export interface VerifiedUse {
  counter: number
  backedUp: boolean
  isUserVerified: boolean
}

interface Expected {
  settings: PasskeySettings
  /** In base64url */
  challenge: string
  /** Whether the authenticator must have verified the user by a finger, a face or a PIN */
  requireUserVerification: boolean
}

/**
 * Verifies the browser's response to creating a passkey. The maker of the authenticator does not matter: its
 * attestation is ignored, with its certificates and the addresses in them.
 *
 * @throws ClienteleError `passkey_invalid`, `configuration_invalid`
 */
export async function verifyRegistration(
  response: RegistrationResponse,
  { settings, challenge, requireUserVerification }: Expected,
): Promise<VerifiedPasskey> {
  const { verifyRegistrationResponse, ...webAuthn } = await loadWebAuthn()
  const { decodeAttestationObject, decodeClientDataJSON, decodeCredentialPublicKey } = webAuthn
  const { cose, isoBase64URL, isoCBOR } = webAuthn
  return refuseWhatThrows(async () => {
    // For a use the library checks this itself.
    const { crossOrigin, topOrigin } = decodeClientDataJSON(response.response.clientDataJSON)
    const isFrameKnown = crossOrigin && topOrigin && settings.origins.includes(topOrigin)
    if (topOrigin && !isFrameKnown) return undefined
    const given = isoBase64URL.toBuffer(response.response.attestationObject)
    if (splitCbor(given, cborLimits) === undefined) return undefined
    const authData = decodeAttestationObject(given).get('authData')
    if (authData.byteLength > maxAuthDataBytes) return undefined
    if (!isCheapToParse(authData, isoCBOR)) return undefined
    const plain = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ])
    const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(plain))
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...response,
        response: { clientDataJSON: response.response.clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: settings.origins,
      expectedRPID: settings.rpId,
      requireUserVerification,
      supportedAlgorithmIDs: passkeyAlgorithms,
    })
    if (!verified) return undefined
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
    const isKnownSize = credential.publicKey.byteLength <= maxPublicKeyBytes
    if (credential.id !== response.id || !isKnownSize) return undefined
    const key = decodeCredentialPublicKey(credential.publicKey)
    if (cose.isCOSEPublicKeyRSA(key)) {
      const [modulus, exponent] = [key.get(cose.COSEKEYS.n), key.get(cose.COSEKEYS.e)]
      if (!modulus || !exponent || findRsaProblem(modulus, exponent) !== undefined) return undefined
    }
    return {
      credentialId: credential.id,
      publicKey: isoBase64URL.fromBuffer(credential.publicKey),
      counter: credential.counter,
      isSynced: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    }
  })
}

/**
 * Verifies the browser's response to using a passkey, at the site that it was created for, in its account's turn.
 *
 * @throws ClienteleError `passkey_invalid`, `configuration_invalid`
 */
export async function verifyUse(
  { signatures }: Pick<PasskeysServices, 'signatures'>,
  { accountId }: Pick<Call, 'accountId'>,
  response: AuthenticationResponse,
  passkey: KnownPasskey,
  { settings, challenge, requireUserVerification }: Expected,
): Promise<VerifiedUse> {
  const { verifyAuthenticationResponse, isoBase64URL, isoCBOR } = await loadWebAuthn()
  // A passkey of another site may claim this one.
  if (passkey.rpId !== settings.rpId) throw new ClienteleError('passkey_invalid')
  return refuseWhatThrows(async () => {
    const { userHandle, ...answered } = response.response
    const authData = isoBase64URL.toBuffer(answered.authenticatorData)
    if (!isCheapToParse(authData, isoCBOR)) return undefined
    const given = {
      response: {
        ...response,
        response: { ...answered, ...(typeof userHandle === 'string' && { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: settings.origins,
      expectedTopOrigin: settings.origins,
      expectedRPID: settings.rpId,
      requireUserVerification,
      credential: {
        id: passkey.credentialId,
        publicKey: isoBase64URL.toBuffer(passkey.publicKey),
        // Devices that share a passkey have separate counters: the counter must not lock the user out.
        counter: passkey.isSynced ? 0 : passkey.counter,
      },
    }
    const { verified, authenticationInfo } = await signatures.run(accountId, () =>
      verifyAuthenticationResponse(given),
    )
    const isHandleRight =
      typeof userHandle !== 'string' || userHandle === toUserHandle(passkey.userId)
    if (!verified || !isHandleRight) return undefined
    const { newCounter, credentialBackedUp, userVerified } = authenticationInfo
    return { counter: newCounter, backedUp: credentialBackedUp, isUserVerified: userVerified }
  })
}

/** The user's id for authenticators: the 16 bytes of the id, in base64url. */
export function toUserHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

type IsoCbor = Awaited<ReturnType<typeof loadWebAuthn>>['isoCBOR']

/**
 * Whether the public key and the extensions in authenticator data (WebAuthn Level 3, section 6.1) have few items. The
 * library encodes the key again, and expects the extensions after that many bytes. If its encoding had another length,
 * it would parse a part of the key as extensions, which was not counted.
 */
function isCheapToParse(
  authData: Uint8Array<ArrayBuffer>,
  { decodeFirst, encode }: IsoCbor,
): boolean {
  const hasKey = ((authData[32] ?? 0) & 0x40) !== 0
  const idLength = (authData[53] ?? 0) * 256 + (authData[54] ?? 0)
  const items = splitCbor(authData.subarray(hasKey ? 55 + idLength : 37), cborLimits)
  if (items === undefined) return false
  return items.every((item) => encode(decodeFirst<Encodable>(item)).byteLength === item.byteLength)
}

type Encodable = Parameters<IsoCbor['encode']>[0]

/** The library's errors describe the response, which only its sender could correct. */
async function refuseWhatThrows<T>(verify: () => Promise<T | undefined>): Promise<T> {
  let verified: T | undefined
  try {
    verified = await verify()
  } catch (cause) {
    throw new ClienteleError('passkey_invalid', undefined, { cause })
  }
  if (verified === undefined) throw new ClienteleError('passkey_invalid')
  return verified
}
