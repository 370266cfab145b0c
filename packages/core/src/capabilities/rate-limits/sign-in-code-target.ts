/** The target that wrong codes of a sign-in count for: an address, whether a user has it or not. */
export function toSignInCodeTarget(email: string): string {
  return `sign-in code of ${email}`
}

/** The target that requests for codes count for. */
export function toSignInCodeRequestTarget(email: string): string {
  return `sign_in_code ${email}`
}
