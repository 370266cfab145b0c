/** The minimum length of each of `secrets` or CLIENTELE_SECRET, in characters */
export const minSecretLength = 16

const minDifferent = 8

export const secretRule = `must have at least ${minSecretLength} characters, ${minDifferent} of them different: openssl rand -base64 32`

/** Whether a text can be a secret: a thief of the database tries guesses as fast as his machines compute. */
export function isSecret(text: string): boolean {
  return text.trim().length >= minSecretLength && new Set(text).size >= minDifferent
}
