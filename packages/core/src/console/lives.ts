const hourMs = 3_600_000
/** How long an unused session lives */
export const lifeMs = hourMs
/** How long use can keep a session alive */
export const maxLifeMs = 12 * hourMs
/** How long a link is valid */
export const linkSeconds = 600
