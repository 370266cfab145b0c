import type { BaseServices } from '../base/services.ts'

/** Passes on the parts of a response, and logs why it breaks off: its caller only sees that the connection ended. */
export async function* logBreak<Part>(
  { logger }: Pick<BaseServices, 'logger'>,
  parts: AsyncIterable<Part>,
  about: { requestId: string; operation: string },
): AsyncGenerator<Part, void, undefined> {
  try {
    yield* parts
  } catch (error) {
    logger.error({ error, ...about }, 'A response broke off.')
    throw error
  }
}
