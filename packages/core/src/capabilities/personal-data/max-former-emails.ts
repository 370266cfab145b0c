/** How many former addresses, and how many addresses of events, are read at most: a user may have had any number. */
export const maxFormerEmails = 1_000
