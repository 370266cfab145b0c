import { maxSetBackMs } from '../../base/runtime/latest-end.ts'

/**
 * The period of a code in seconds, and its number of digits: the values that every authenticator app supports (RFC
 * 6238).
 */
const period = 30
const digits = 6
/**
 * The maximum sizes of the issuer (which occurs twice) and of the label in the URI, in bytes: the whole has at most
 * 310.
 */
const nameBytes = 210
const issuerBytes = 72
/** How many steps the user's clock may deviate, either way. */
const totpDrift = 1
/**
 * How many steps after a code another one may have been used and still count: the clock may have gone back since. By more,
 * the clock was wrong, and the code that was used then is forgotten.
 */
export const mostTotpStepsAhead: number = 2 * totpDrift + maxSetBackMs / (period * 1000)

/** A new secret of 160 bits, in base32, and its URI for authenticator apps. */
export async function createTotpSecret(
  issuer: string,
  label: string,
): Promise<{ secret: string; otpauthUri: string }> {
  const { Secret, TOTP } = await loadOtpauth()
  const secret = new Secret({ size: 20 })
  // In the URI a colon ends the issuer, even when it is encoded.
  const name = shorten(spaceOut(issuer), issuerBytes) || 'Clientele'
  const left = nameBytes - 2 * sizeInUri(name)
  const names = { issuer: name, label: shorten(label, left) }
  const totp = new TOTP({ ...names, algorithm: 'SHA1', digits, period, secret })
  return { secret: secret.base32, otpauthUri: totp.toString() }
}

function spaceOut(issuer: string): string {
  const parts = issuer.split(':').map((part) => part.trim())
  return parts.join(' ').trim()
}

/**
 * Cuts a text for the URI: drawing a QR code takes time with its size, and every camera can read a small one. A
 * character takes up to 12 bytes.
 */
function shorten(text: string, bytes: number): string {
  let left = bytes
  let end = 0
  for (const character of text) {
    left -= sizeInUri(character)
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end).trimEnd()
}

/** The size of the text in the URI, in bytes */
function sizeInUri(text: string): number {
  return encodeURIComponent(text).length
}

/** The time step around `now` that a code belongs to; undefined when it matches none. */
export async function findTotpStep(
  secret: string,
  code: string,
  now: number,
): Promise<number | undefined> {
  // Apps show a space in the middle.
  const token = code.replaceAll(/\s/g, '')
  if (!/^[0-9]{6}$/.test(token)) return undefined
  const { Secret, TOTP } = await loadOtpauth()
  const totp = new TOTP({ algorithm: 'SHA1', digits, period, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: now, window: totpDrift })
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
}

/**
 * Draws a QR code as SVG, with the quiet zone of four modules that ISO/IEC 18004 requires. It blocks for some
 * milliseconds.
 */
export async function loadQrCodes(): Promise<(text: string) => string> {
  const { renderSVG } = await import('uqr')
  return (text) => renderSVG(text, { border: 4 })
}

/** Loaded on first use: most processes never need it. */
function loadOtpauth(): Promise<typeof import('otpauth')> {
  return import('otpauth')
}
