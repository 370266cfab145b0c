/** After this time, the caller of a long request is authenticated again, in milliseconds. */
const admittedMs = 10_000

/**
 * Passes on the parts of a long body or response, and authenticates its caller anew every ten seconds: the API key may
 * have been revoked meanwhile.
 *
 * @throws the error of `readmit`
 */
export async function* keepAdmitted<Part>(
  parts: AsyncIterable<Part>,
  readmit: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): AsyncGenerator<Part, void, undefined> {
  let askedAt = now()
  for await (const part of parts) {
    if (now() - askedAt >= admittedMs) {
      await readmit()
      askedAt = now()
    }
    yield part
  }
}
