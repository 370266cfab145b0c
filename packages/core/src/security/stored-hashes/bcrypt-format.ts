import { type HashFormat, readNumber, unreadable } from './hash-format.ts'

/** 2^15 rounds take about two seconds. */
const maxCost = 15
const pattern = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** bcrypt: `$2b$12$` and 53 characters. As everywhere, only the first 72 bytes of the password count. */
export const bcryptFormat: HashFormat = {
  prefixes: ['$2a$', '$2b$', '$2y$'],
  read: (stored) => {
    const [, cost = ''] = pattern.exec(stored) ?? unreadable('it is not a whole bcrypt hash')
    readNumber(cost.replace(/^0/, ''), 'cost', 4, maxCost)
    return async (password) => {
      // Loaded when the first one is met: most applications never import such a hash.
      const { verify } = await import('@node-rs/bcrypt')
      return verify(password, stored)
    }
  },
}
