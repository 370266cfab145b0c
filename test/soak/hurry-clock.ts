// Loaded into a server before anything else: its clock runs faster by a factor. Timeouts and measured durations do not.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const factor = Number(process.env.CLOCK_FACTOR)
const RealDate = Date
const begin = Number(process.env.CLOCK_START)
const readNs = process.hrtime.bigint
const firstNs = readNs()
const firstTime = begin + (RealDate.now() - begin) * factor

/** The clock and the monotonic one run evenly: the server compares them. */
const hurriedNs = (): bigint => (readNs() - firstNs) * BigInt(factor)
const hurriedTime = (): number => Math.floor(firstTime + Number(hurriedNs() / 1_000_000n))

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    // The constructor of Date has several forms; none of them is ours to check.
    super(...((given.length === 0 ? [hurriedTime()] : given) as [number]))
  }
  static override now(): number {
    return hurriedTime()
  }
} as DateConstructor // a class cannot be called without `new`, which servers do not do

process.hrtime.bigint = () => firstNs + hurriedNs()

// Garbage that the collector has not looked at yet is no growth: it is collected before memory is measured.
setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')
process.on('SIGUSR2', () => {
  if (typeof collect === 'function') collect()
})
