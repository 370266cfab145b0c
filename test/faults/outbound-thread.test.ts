import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { issuesOf } from '../keys/open-clientele.ts'
import { byUrl, ecJwk, IssuerWorld, serveKeys } from '../support/issuer-world.ts'
import { makeLocalCertificate } from '../support/make-certificates.ts'
import { serveIssuer } from '../support/serve-issuer.ts'
import { idsOf, watchThreads } from '../support/watch-threads.ts'

const root = join(import.meta.dirname, '../..')
const world = new IssuerWorld(() => 'sqlite::memory:')

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-outbound-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the first request starts the one thread of the process, and the last close ends it', async () => {
  const threads = watchThreads()
  const { url } = await serveKeys(ecJwk)
  const [first, second] = [await world.openAccount(), await world.openAccount()]
  expect(threads).toEqual([])
  await Promise.all([first.trust(byUrl(url)), second.trust(byUrl(url))])
  expect(threads).toHaveLength(1)
  await first.clientele.close()
  expect(idsOf(threads)).not.toEqual([-1])
  await second.clientele.close()
  expect(idsOf(threads)).toEqual([-1])
})

test('when the thread dies, requests under way fail, and the next one starts another', async () => {
  const threads = watchThreads()
  const { trust } = await world.openAccount()
  const { answers, origin } = await serveIssuer()
  const asked = new Promise<void>((resolve) => {
    answers['/silent'] = () => resolve()
  })
  const issues = issuesOf(trust(byUrl(`${origin}/silent`)))
  await asked
  await threads[0]?.terminate()
  expect(await issues).toMatchObject([{ message: 'cannot be read: the connection fails' }])
  const { url } = await serveKeys(ecJwk)
  expect((await trust(byUrl(url))).jwksUrl).toBe(url)
  expect(threads).toHaveLength(2)
})

/** Runs a script that trusts an issuer, with the packages in `dist`. */
async function trustInProcess(
  jwksUrl: string,
  { dist = join(root, 'packages/core/dist'), options = [] as string[], env = {} } = {},
) {
  const script = join(await makeFolder(), 'trust.mjs')
  await writeFile(
    script,
    `import { createClientele } from ${JSON.stringify(join(dist, 'index.js'))}
    import { sqlite } from ${JSON.stringify(join(dist, 'sqlite.js'))}
    const clientele = await createClientele({
      repository: sqlite({ filename: ':memory:' }),
      trustedIssuers: { allowPrivateAddresses: true },
      logger: { info() {}, warn: (_, message) => console.log(message), error: console.error },
    })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const issuer = ${JSON.stringify(byUrl(jwksUrl))}
    console.log((await clientele.trustedIssuers.create(id, issuer)).jwksUrl)
    await clientele.close()`,
  )
  const running = promisify(execFile)(process.execPath, [...options, script], {
    env: { ...process.env, ...env },
  })
  return (await running).stdout
}

test.each([
  ['is not where it should be', [], true],
  [
    'is not allowed',
    ['--permission', '--allow-addons', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-net'],
    false,
  ],
])('where the thread %s, requests are made on the event loop', async (_, options, isBundled) => {
  const { url } = await serveKeys(ecJwk)
  const core = join(root, 'packages/core')
  const folder = isBundled ? await makeFolder() : core
  if (isBundled) {
    await cp(join(core, 'dist'), join(folder, 'dist'), { recursive: true })
    await rm(join(folder, 'dist/base'), { recursive: true })
    await symlink(join(core, 'node_modules'), join(folder, 'node_modules'))
  }
  const known = process.allowedNodeEnvironmentFlags
  const taken = options.filter((option) => option !== '--allow-net' || known.has(option))
  const output = trustInProcess(url, { dist: join(folder, 'dist'), options: taken })
  await expect(output).resolves.toBe(
    `Requests to webhooks and issuers are made on the event loop: their thread cannot be started.\n${url}\n`,
  )
})

/** A server for `localhost` by TLS: its URL, and the path of its certificate. */
async function serveSecurely(answer: RequestListener, options: ServerOptions = {}) {
  const pair = makeLocalCertificate()
  const server = createServer({ ...pair, ...options }, answer)
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  const ca = join(await makeFolder(), 'ca.pem')
  await writeFile(ca, pair.cert)
  return { port, url: `https://localhost:${port}/keys`, env: { NODE_EXTRA_CA_CERTS: ca }, server }
}

const keySet = JSON.stringify({ keys: [ecJwk] })

test('by https, the request has the usual headers and names the server', async () => {
  const seen: unknown[] = []
  const { url, port, env } = await serveSecurely((request, response) => {
    seen.push(request.rawHeaders, 'servername' in request.socket && request.socket.servername)
    response.end(keySet)
  })
  expect(await trustInProcess(url, { env })).toBe(`${url}\n`)
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
  const all = { ...headers, Host: `localhost:${port}`, Connection: 'close' }
  expect(seen).toEqual([Object.entries(all).flat(), 'localhost'])
})

test('by https, a certificate of no known issuer or for another name is refused', async () => {
  const { url, env } = await serveSecurely((_request, response) => response.end(keySet))
  const { trust } = await world.openAccount()
  const self = 'DEPTH_ZERO_SELF_SIGNED_CERT'
  expect(await issuesOf(trust(byUrl(url)))).toMatchObject([
    { message: `cannot be read: the connection fails (${self})` },
  ])
  const other = url.replace('localhost', '127.0.0.1')
  await expect(trustInProcess(other, { env })).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID')
})

test('by https, a server cannot choose its own numbers for Diffie-Hellman', async () => {
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256'
  const options = { ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
  const { url, env } = await serveSecurely((_request, response) => response.end(keySet), options)
  await expect(trustInProcess(url, { env })).rejects.toThrow('HANDSHAKE_FAILURE')
})

test('by https, a server cannot ask for further handshakes', async () => {
  const renegotiated: boolean[] = []
  const { url, env, server } = await serveSecurely(() => {}, { maxVersion: 'TLSv1.2' })
  server.on('secureConnection', (socket) => {
    socket.once('data', () => {
      socket.renegotiate({}, (error) => {
        renegotiated.push(error === null)
        socket.destroy()
      })
    })
    socket.on('error', () => renegotiated.push(false))
  })
  await expect(trustInProcess(url, { env })).rejects.toThrow('cannot be read')
  expect(renegotiated).not.toContain(true)
})
