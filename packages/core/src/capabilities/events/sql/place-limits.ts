/**
 * How many events get their places by one statement. Of few PostgreSQL finds each by its key; for a thousand it may read
 * the whole account.
 */
export const placedAtOnce = 100
/** How many of these statements are one transaction */
export const maxStatements = 10
