/** For a fetch that a framework has replaced. The types of Node lack the member. */
const uncached = { cache: 'no-store' }

export function fetchUncached(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...uncached, ...init })
}

/**
 * Asks a server.
 *
 * @throws Error with the address and the reason, where there is no answer: `fetch failed` alone names neither
 */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchUncached(url, init)
  } catch (cause) {
    const [address] = url.split('?')
    throw new Error(`${address} cannot be reached: ${describeReason(cause)}.`, { cause })
  }
}

/** Why there is no answer: what is behind an error of fetch, otherwise the error's own text */
export function describeReason(error: unknown): string {
  const { cause, message } = Object(error)
  const { code, message: inner } = Object(cause)
  return String(code || inner || message)
}
