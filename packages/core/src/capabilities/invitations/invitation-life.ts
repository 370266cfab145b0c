/** How long an invitation can be accepted, in seconds */
export const invitationLifeSeconds = 7 * 24 * 3600

/** The rate limit key of invitations to an address. */
export function toInvitationTarget(email: string): string {
  return `invitation ${email}`
}
