/** The target that wrong codes count for where an authenticator app is confirmed: those of sign-ins do not prevent it. */
export function toTotpEnrolmentTarget(userId: string): string {
  return `totp enrolment of ${userId}`
}
