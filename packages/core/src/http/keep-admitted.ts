/** After this time, the caller of a long request is authenticated again, in milliseconds. */
export const admittedMs = 1_000

/** Authenticates the caller of a long request anew: the API key may have been revoked meanwhile. */
export interface Admission {
  /** If the last time is a second ago */
  stay: () => Promise<void>
  /** In any case */
  readmit: () => Promise<void>
}

/** Both throw the error of `identify`. */
export function createAdmission(
  identify: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): Admission {
  let askedAt = now()
  const readmit = async (): Promise<void> => {
    await identify()
    askedAt = now()
  }
  const stay = async (): Promise<void> => {
    if (now() - askedAt >= admittedMs) await readmit()
  }
  return { stay, readmit }
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
