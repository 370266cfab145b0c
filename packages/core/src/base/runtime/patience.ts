/** How long a client may read nothing of a response, in milliseconds. */
export const readerPatienceMs = 30_000
