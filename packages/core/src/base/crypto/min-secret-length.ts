/** How many characters each of `secrets`, or of CLIENTELE_SECRET, has at least: a shorter one can be found by trying. */
export const minSecretLength = 16
