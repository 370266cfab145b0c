const minBytes = 256
/** How long the modulus may be, in bytes */
export const maxRsaBytes = 1024
/** A long exponent makes each verification slow; nearly every key has 65537. */
const maxExponentBytes = 8

/** Why an RSA key cannot be accepted, whose numbers begin with the highest byte; undefined when it can. */
export function findRsaProblem(modulus: Uint8Array, exponent: Uint8Array): string | undefined {
  const length = lengthOf(modulus)
  if (length < minBytes) return 'is not an RSA key of at least 2048 bits'
  if (length > maxRsaBytes) return 'is an RSA key of more than 8192 bits'
  // RFC 8017, section 3.1: odd and at least 3. With the exponent 1 any caller can forge a signature.
  const lowest = exponent.at(-1) ?? 0
  const isOne = lengthOf(exponent) === 1 && lowest === 1
  if (lowest % 2 === 0 || isOne)
    return 'is an RSA key whose exponent is not an odd number from 3 on'
  if (lengthOf(exponent) > maxExponentBytes)
    return 'is an RSA key whose exponent has more than 64 bits'
  return undefined
}

/** Without the zeros before the number */
function lengthOf(number: Uint8Array): number {
  const start = number.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : number.length - start
}
