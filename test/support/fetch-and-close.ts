/**
 * Fetches by a connection that ends with the answer. A server that is stopped gives a kept connection a second for its next
 * request: where that is not what is tested, it need not be waited for.
 */
export function fetchAndClose(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('connection', 'close')
  return fetch(url, { ...init, headers })
}
