/** The minimum length of each of `secrets` or CLIENTELE_SECRET, in characters: a shorter one can be guessed. */
export const minSecretLength = 16
