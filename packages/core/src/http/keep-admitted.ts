/** After this time, the caller of a long request is authenticated again, in milliseconds. */
export const admittedMs = 1_000

/** Authenticates the caller of a long request anew: the API key may have been revoked meanwhile. */
export interface Admission<Caller> {
  /** Whether the last time is a second ago */
  isLate: () => boolean
  /** If it is late */
  stay: () => Promise<void>
  /** In any case */
  readmit: () => Promise<Caller>
}

/** `stay` and `readmit` throw the error of `identify`. */
export function createAdmission<Caller>(
  identify: () => Promise<Caller>,
  now: () => number = () => performance.now(),
): Admission<Caller> {
  let askedAt = now()
  const isLate = (): boolean => now() - askedAt >= admittedMs
  const readmit = async (): Promise<Caller> => {
    const caller = await identify()
    askedAt = now()
    return caller
  }
  const stay = async (): Promise<void> => {
    if (isLate()) await readmit()
  }
  return { isLate, stay, readmit }
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
