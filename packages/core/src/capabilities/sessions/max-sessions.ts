/** How many sessions a user may have: with one more, the one that was not used for the longest time ends. */
export const maxSessions = 100
