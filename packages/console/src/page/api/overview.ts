/** The server's overview of an account. Days are UTC, oldest first, without gaps. */
export interface Overview {
  users: {
    total: number
    active: number
    by_day: readonly { day: string; created: number; total: number }[]
  }
  sign_ins: { by_day: readonly { day: string; succeeded: number; failed: number }[] }
  sessions: { alive: number }
}
