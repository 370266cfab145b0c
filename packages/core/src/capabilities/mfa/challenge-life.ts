/** How long a challenge is valid */
export const challengeTtlSeconds = 300
