/** How long a mailed code is valid */
export const codeLifeSeconds = 600
