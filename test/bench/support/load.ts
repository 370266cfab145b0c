import autocannon, { type Request } from 'autocannon'

export interface Load {
  path: string
  method?: Request['method']
  headers?: Record<string, string>
  /** Bodies that are sent in turn */
  bodies?: string[]
  connections?: number
}

export interface LoadResult {
  perSecond: number
  p50: number
  p99: number
}

/** Sends requests for a while. Anything but a success is an error: a fast refusal is no throughput. */
export async function applyLoad(url: string, load: Load, seconds: number): Promise<LoadResult> {
  const { path, method = 'GET', headers = {}, bodies, connections = 64 } = load
  const common = { method, path, headers }
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: bodies === undefined ? [common] : bodies.map((body) => ({ ...common, body })),
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) {
    const statuses = JSON.stringify(result.statusCodeStats ?? {})
    throw new Error(`${failed} of the requests to ${path} failed: ${statuses}`)
  }
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}

const warmupTurnSeconds = 0.5

/** Measures several servers in turn, round by round, so that a drift of the machine meets all of them. */
export async function compare(
  contenders: Record<string, (seconds: number) => Promise<number>>,
  { rounds = 5, seconds = 3, warmupSeconds = 2 } = {},
): Promise<Record<string, number[]>> {
  const names = Object.keys(contenders)
  const figures = Object.fromEntries(names.map((name): [string, number[]] => [name, []]))
  // In short turns: a server that waits for long gives memory back, and would be measured while it takes it again.
  const turns = Math.ceil(warmupSeconds / warmupTurnSeconds)
  for (let turn = 0; turn < turns; turn++) {
    for (const name of names) await contenders[name]?.(warmupSeconds / turns)
  }
  for (let round = 0; round < rounds; round++) {
    // In another order each round, so that none always follows the same.
    for (const name of shuffle(names)) {
      figures[name]?.push((await contenders[name]?.(seconds)) ?? 0)
    }
  }
  return figures
}

function shuffle(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ name }) => name)
}
