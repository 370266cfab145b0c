/**
 * The maximum number of sessions of a user: a further sign-in ends the session that was unused for the longest time.
 */
export const maxSessions = 100
