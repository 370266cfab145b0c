import type { EmailTokenPurpose } from './store.ts'

/** How long a token is valid, in seconds */
export const tokenLifeSeconds: Record<EmailTokenPurpose, number> = {
  password_reset: 3600,
  email_verification: 24 * 3600,
}
