/**
 * The mark of a secret in a schema: a password, a token, or a text that stands for a proven one. The OpenAPI document shows
 * it (`format: password`), and programs that show answers to others hide what has it.
 */
export const secretMark = { format: 'password' } as const
