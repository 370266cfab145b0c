// The thread of outbound-thread.ts: runs exchanges with servers that other parties chose.

import { parentPort } from 'node:worker_threads'
import { describeFault, type ExchangeFault } from './exchange-fault.ts'
import { type Exchange, type ExchangeResults, runExchange } from './run-exchange.ts'

export type ThreadRequest = { id: number; exchange: Exchange } | { cancelledId: number }

export type ThreadAnswer =
  | { isReady: true }
  | { id: number; usedMs: number }
  | { id: number; result: ExchangeResults[Exchange['kind']] }
  | { id: number; fault: ExchangeFault }

const underWay = new Map<number, AbortController>()
const send = (answer: ThreadAnswer) => parentPort?.postMessage(answer)

parentPort?.on('message', (request: ThreadRequest) => {
  if ('cancelledId' in request) underWay.get(request.cancelledId)?.abort()
  else void answer(request.id, request.exchange)
})
send({ isReady: true })

async function answer(id: number, exchange: Exchange): Promise<void> {
  const controller = new AbortController()
  underWay.set(id, controller)
  try {
    const charge = (usedMs: number) => send({ id, usedMs })
    send({ id, result: await runExchange(exchange, { signal: controller.signal, charge }) })
  } catch (error) {
    send({ id, fault: describeFault(error) })
  } finally {
    underWay.delete(id)
  }
}
