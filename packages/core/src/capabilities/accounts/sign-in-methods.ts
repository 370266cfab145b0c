/** The ways to open a session, each with the method that the `amr` of its sessions begins with (RFC 8176). */
export const signInMethods = {
  password: ['pwd'],
  passkey: ['hwk', 'swk'],
  id_token: ['fed'],
  email_code: ['otp'],
} as const satisfies Record<string, readonly string[]>

export type SignInMethod = keyof typeof signInMethods

export const signInMethodNames = Object.keys(signInMethods) as SignInMethod[] // its own keys

/** The way of a sign-in, by its authentication methods. */
export function signInMethodOf(amr: readonly string[]): SignInMethod {
  const found = signInMethodNames.find((name) =>
    signInMethods[name].some((method: string) => method === amr[0]),
  )
  if (found === undefined) throw new Error(`No way to sign in begins with ${amr[0]}.`)
  return found
}

/** Whether a sign-in began with a mailed code: then its mailbox is no second factor. */
export function isByMail(amr: readonly string[]): boolean {
  return signInMethodOf(amr) === 'email_code'
}
