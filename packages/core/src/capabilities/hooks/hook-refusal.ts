/** The most characters of a refusal that a caller reads */
const maxLength = 500
/** Spaces, ends of lines and control characters */
const gaps = /[\s\p{Cc}]+/gu

/**
 * A hook throws it to refuse what is to happen. The caller gets 403 `refused_by_hook` with these words as `detail`, on one
 * line, at most 500 characters of them.
 *
 * @example
 * import { type ClienteleHooks, HookRefusal } from '@clientele/core'
 *
 * const hooks: ClienteleHooks = {
 *   beforeCreate: ({ email }) => {
 *     if (!email.endsWith('@example.com')) throw new HookRefusal('Only addresses of example.com may register.')
 *   },
 * }
 */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal'

  /** @param words for the caller */
  constructor(words: string) {
    super(
      [...String(words).slice(0, 2 * maxLength)]
        .slice(0, maxLength)
        .join('')
        .replace(gaps, ' ')
        .trim(),
    )
  }
}
