/** How long a response is kept, in milliseconds */
export const keptMs = 24 * 3600 * 1000
