import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NewTrustedIssuer } from '@clientele/core'
import { onTestFinished } from 'vitest'
import { aud } from './issuer-world.ts'

export type Answer = unknown | ((response: ServerResponse, request: IncomingMessage) => void)

/** An issuer on this machine: what it answers, by path, and what it was asked. */
export async function serveIssuer(path = '') {
  const answers: Record<string, Answer> = {}
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    asked.push(url)
    const answer = Object.hasOwn(answers, url) ? answers[url] : undefined
    if (typeof answer === 'function') answer(response, request)
    else if (answer === undefined) response.writeHead(404).end()
    else response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  const issuer = `${origin}${path}`
  return { issuer, origin, answers, asked, document: { issuer, jwks_uri: `${origin}/keys` } }
}

export const discovered = (issuer: string): NewTrustedIssuer => ({
  issuer,
  audience: aud,
  algorithms: ['ES256'],
})
export const openId = '/.well-known/openid-configuration'
