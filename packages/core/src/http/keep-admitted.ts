/** After this time, the caller of a long request is authenticated again, in milliseconds. */
export const admittedMs = 1_000

/**
 * Makes a function that authenticates the caller of a long request anew if the last time is a second ago: the API key
 * may have been revoked meanwhile. It throws the error of `readmit`.
 */
export function stayAdmitted(
  readmit: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let askedAt = now()
  return async () => {
    if (now() - askedAt < admittedMs) return
    await readmit()
    askedAt = now()
  }
}

/** Passes on the parts of a long body or response as long as its caller is admitted. */
export async function* keepAdmitted<Part>(
  parts: AsyncIterable<Part>,
  stay: (() => Promise<void>) | undefined,
): AsyncGenerator<Part, void, undefined> {
  for await (const part of parts) {
    await stay?.()
    yield part
  }
}
