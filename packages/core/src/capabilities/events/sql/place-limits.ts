/**
 * How many events one statement assigns positions to. PostgreSQL finds few events by their keys; for a thousand it may
 * read the whole account.
 */
export const placedAtOnce = 100
/** How many of these statements form a transaction */
export const maxStatements = 10
