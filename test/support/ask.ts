import type { Clientele } from '@clientele/core'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Sends a request to the core itself, without a framework or a socket. */
export async function ask(
  clientele: Clientele,
  apiKey: string,
  method: string,
  url: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, ...more }
  const text = body === undefined ? '' : JSON.stringify(body)
  if (body !== undefined) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = String(Buffer.byteLength(text))
  }
  const response = await clientele.handle({
    method,
    url,
    mountPath: '',
    headers,
    rawHeaders: Object.entries(headers).flat(),
    body: new Blob([text]).stream(),
  })
  if (response === undefined) throw new Error(`${url} is not a path of ours`)
  const content: Record<string, unknown> = response.body ? JSON.parse(response.body) : {}
  return { status: response.status, headers: response.headers, body: content }
}
