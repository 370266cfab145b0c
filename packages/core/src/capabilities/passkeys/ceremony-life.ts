/** How long a user may take to create or use a passkey, in seconds. */
export const ceremonySeconds = 300
