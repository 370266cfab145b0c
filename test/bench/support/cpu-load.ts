import { loadRaw, type RawRequest } from './raw-load.ts'
import type { RunningServer } from './server.ts'

/** By CPU time: many short rounds, of which some meet little else on the machine. */
export const cpuPace = { rounds: 12, seconds: 0.3, warmupSeconds: 1.5 }
/** The same after a longer start: only after 50,000 requests is all code of a fast server compiled. */
export const warmCpuPace = { ...cpuPace, warmupSeconds: 5 }

/** How many requests a server answers in a second of its CPU time */
export function loadByCpu(
  server: RunningServer,
  next: () => RawRequest,
): (time: number) => Promise<number> {
  return async (time) => {
    const [startedAt, before] = [performance.now(), server.cpuSeconds()]
    const perSecond = await loadRaw(server.url, next, time)
    const answered = (perSecond * (performance.now() - startedAt)) / 1000
    const cpuSeconds = server.cpuSeconds() - before
    return answered / Math.max(cpuSeconds, 0.01)
  }
}

/** Validations of the users' tokens in turn */
export function validation({
  apiKey,
  tokens,
}: {
  apiKey: string
  tokens: readonly string[]
}): () => RawRequest {
  const bodies = tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` }))
  const path = '/client/user/auth/validation-token'
  let count = 0
  return () => ({ method: 'POST', path, apiKey, body: bodies[count++ % bodies.length] ?? '' })
}
