import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookUpHost } from '../../packages/core/src/base/outbound/look-up-host.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byUrl, ecJwk, IssuerWorld, serveKeys } from '../support/issuer-world.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { codeOf, issuesOf } from './open-clientele.ts'

/** Refused unless private addresses are allowed. */
const privateHosts = [
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.0.0.1.',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:FFFF:192.168.1.1]',
  '[fc00::1]',
  '[fdff:ffff::1]',
]

/** Refused whatever is allowed: link-local, metadata services, reserved ranges, tunnels to IPv4 addresses. */
const closedHosts = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '0xa9fea9fe',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:100.100.100.200]',
  '[::169.254.169.254]',
  '[::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[2001:2::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[fd00:0ec2:0:0::0254]',
  '[fd20:ce::254]',
]

const publicHosts = ['8.8.8.8', '100.128.0.1', '[::ffff:8.8.8.8]', '[2606:4700:4700::1111]']

describe.each(anyDatabase)('addresses that are not connected to, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** The hosts that a URL may name. Webhooks obey the same rules, and nothing is connected to for them yet. */
  async function findAccepted(hosts: readonly string[], allowPrivateAddresses: boolean) {
    const { clientele, accountId, trust } = await world.openAccount({
      trustedIssuers: { allowPrivateAddresses },
      webhooks: { allowPrivateAddresses },
    })
    const accepted: string[] = []
    for (const host of hosts) {
      const url = `https://${host}/keys`
      const created = clientele.webhooks.create(accountId, { url, types: ['user.*'] })
      if ((await codeOf(created)) === undefined) {
        accepted.push(host)
        await clientele.webhooks.delete(accountId, (await created).id)
        continue
      }
      for (const [outcome, pointer] of [
        [trust(byUrl(url)), '/jwksUrl'],
        [trust({ issuer: url, audience: 'x', algorithms: ['ES256'] }), '/issuer'],
      ] as const)
        expect([host, await issuesOf(outcome)]).toMatchObject([host, [{ pointer, code: 'url' }]])
    }
    return accepted
  }

  test('private, link-local, metadata and reserved ones, in every spelling', async () => {
    const all = [...privateHosts, ...closedHosts, ...publicHosts]
    expect(await findAccepted(all, false)).toEqual(publicHosts)
  })

  test('metadata and reserved ones also where private ones are allowed', async () => {
    const all = [...privateHosts, ...closedHosts, ...publicHosts]
    expect(await findAccepted(all, true)).toEqual([...privateHosts, ...publicHosts])
  })

  async function readKeys(url: string, allowPrivateAddresses: boolean): Promise<string> {
    const trustedIssuers = { allowPrivateAddresses }
    const { trust, signByKey, check } = await world.openAccount({ trustedIssuers })
    const created = trust(byUrl(url))
    const [issue] = await issuesOf(created)
    if (issue !== undefined) return issue.message
    await created
    return (await check(await signByKey())) ?? 'read'
  }

  test.each([
    ['127.0.0.1', 'a private network'],
    ['fd00::1', 'a private network'],
    ['169.254.169.254', 'a link-local, metadata or reserved address'],
    ['203.0.113.7', 'a link-local, metadata or reserved address'],
    ['2001:db8::7', 'a link-local, metadata or reserved address'],
    ['::ffff:169.254.169.254', 'a link-local, metadata or reserved address'],
    ['fe80::1', 'a link-local, metadata or reserved address'],
  ])('a name that resolves to %s is refused: %s', async (address, why) => {
    await resolveNames(() => ['8.8.8.8', address])
    const outcome = await readKeys('https://login.example.com/keys', false)
    expect(outcome.replace(/ \(allowed by ALLOW_PRIVATE_ADDRESSES=true, .*\)$/, '')).toBe(
      `cannot be read: its name leads to ${why}`,
    )
  })

  test('a name that resolves to a metadata service is refused where private addresses are allowed', async () => {
    const server = await serveKeys(ecJwk)
    const url = server.url.replace('127.0.0.1', 'login.example.com')
    await resolveNames(() => ['127.0.0.1'])
    expect(await readKeys(url, true)).toBe('read')
    expect(server.requests).toBe(1)
    await resolveNames(() => ['127.0.0.1', '169.254.169.254'])
    expect(await readKeys(url, true)).toContain('leads to a link-local, metadata')
    expect(server.requests).toBe(1)
  })
})

test('of a name with thousands of addresses only the first are checked, and connected to', async () => {
  const ipv4 = Array.from({ length: 4_000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`)
  const ipv6 = Array.from({ length: 2_000 }, (_, index) => `2606:2800::${index.toString(16)}`)
  await resolveNames(() => [...ipv4, ...ipv6])
  const found = await lookUpHost('many.example.com', {
    accountId: 'account',
    allowPrivateAddresses: true,
    signal: AbortSignal.timeout(10_000),
  })
  expect(found.map(({ address }) => address)).toEqual([...ipv4.slice(0, 16), ...ipv6.slice(0, 16)])
})
