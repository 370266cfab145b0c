import { createSocket, type RemoteInfo } from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIPv6 } from 'node:net'
import { onTestFinished } from 'vitest'

/** The addresses of a name; undefined: no answer until the test is over. */
type Answer = (host: string) => readonly string[] | undefined

/**
 * Makes every name resolve to what it answers, in this process, until the test is over: for who asks the system, and for
 * who asks the DNS, by a server of its own on this machine. Returns a function that answers the open queries.
 */
export async function resolveNames(answer: Answer): Promise<() => void> {
  await answerForDns(answer)
  return answerForSystem(answer)
}

function answerForSystem(answer: Answer): () => void {
  const real = dns.lookup
  const late: (() => void)[] = []
  const lookup = (host: string, _options: object, callback: (...all: unknown[]) => void) => {
    const addresses = answer(host)
    const say = () =>
      callback(
        null,
        (addresses ?? []).map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
      )
    if (addresses === undefined) late.push(say)
    else say()
  }
  dns.lookup = lookup as never // only what is called here
  syncBuiltinESMExports()
  onTestFinished(() => {
    dns.lookup = real
    syncBuiltinESMExports()
    answerLate()
  })
  const answerLate = () => {
    for (const say of late.splice(0)) say()
  }
  return answerLate
}

async function answerForDns(answer: Answer): Promise<void> {
  const server = createSocket('udp4')
  server.on('message', (query: Buffer, { address, port }: RemoteInfo) => {
    const { host, isIpv6, question } = readQuery(query)
    const addresses = answer(host)
    if (addresses === undefined) return
    const ofFamily = addresses.filter((each) => isIPv6(each) === isIpv6)
    server.send(writeReply(query.readUInt16BE(0), question, ofFamily), port, address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  const { prototype } = dns.promises.Resolver
  const { resolve4 } = prototype
  // The first question of a look-up
  prototype.resolve4 = function (
    this: dns.promises.Resolver,
    ...details: [hostname: string, options: dns.ResolveOptions]
  ) {
    this.setServers([`127.0.0.1:${server.address().port}`])
    return resolve4.apply(this, details)
  } as never // only what is called here
  onTestFinished(() => {
    prototype.resolve4 = resolve4
    server.close()
  })
}

const headerBytes = 12

/** Reads the one question of a query (RFC 1035, section 4.1). */
function readQuery(query: Buffer) {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = query.subarray(headerBytes, at + 5)
  return { host: labels.join('.'), isIpv6: query.readUInt16BE(at + 1) === 28, question }
}

function writeReply(id: number, question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(headerBytes)
  for (const [index, value] of [id, 0x81_80, 1, addresses.length].entries())
    header.writeUInt16BE(value, 2 * index)
  const records = addresses.map((address) => {
    const data = toBytes(address)
    const record = Buffer.alloc(12)
    // The name of the question, of the class IN, not to be kept
    for (const [index, value] of [
      0xc0_0c,
      data.length === 4 ? 1 : 28,
      1,
      0,
      0,
      data.length,
    ].entries())
      record.writeUInt16BE(value, 2 * index)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, question, ...records])
}

function toBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const hex = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = hex.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return Buffer.from(
    [...before, ...zeros, ...after].map((part) => part.padStart(4, '0')).join(''),
    'hex',
  )
}
