import type { Call, Idempotency } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { writeSortedJson } from '../../base/input/json.ts'
import { keptMs } from './kept-ms.ts'
import type { IdempotencyServices } from './services.ts'
import type { NewReply } from './store.ts'

/** How long a repeat waits for the first request, in milliseconds; a database lock has the same limit by default. */
const waitMs = 5_000

interface Request {
  /** `createUser`: a key is valid for one operation of the account */
  operation: string
  /** The whole input, including path parameters; the order of members does not matter */
  input: unknown
}

/**
 * Acts. If the call has a key, it acts once for that key: a repeat of the request gets the first response. `act` passes
 * the reply to the writing method of the store, which stores it in the same transaction (`ReplyKeeper`): there is no
 * moment at which one exists without the other. A failed request stores nothing.
 *
 * @throws ClienteleError `idempotency_key_reused`, `idempotency_in_progress`, and any error of `act`
 */
export async function answerOnce<Answer>(
  services: IdempotencyServices,
  call: Call,
  request: Request,
  act: (reply?: NewReply) => Promise<Answer>,
): Promise<Answer> {
  const { idempotency } = call
  if (idempotency === undefined) return act()
  return answerForKey(services, { ...call, idempotency }, request, act)
}

async function answerForKey<Answer>(
  services: IdempotencyServices,
  { accountId, idempotency, stayAdmitted }: Call & { idempotency: Idempotency },
  { operation, input }: Request,
  act: (reply: NewReply) => Promise<Answer>,
): Promise<Answer> {
  const { repository, encryptor, clock, requestsUnderWay } = services
  const { key } = idempotency
  const content = writeSortedJson(input)
  const purpose = `idempotency ${accountId} ${operation}`
  const name = `${accountId} ${operation} ${key}`

  async function findAnswer(): Promise<{ answer: Answer } | undefined> {
    const kept = await repository.idempotency.find(accountId, operation, key, clock())
    if (kept === undefined) return undefined
    if (!encryptor.isDigestOf(kept.digest, content, purpose)) {
      throw new ClienteleError('idempotency_key_reused')
    }
    idempotency.isReplayed = true
    return { answer: JSON.parse(kept.answer) as Answer } // written by this operation
  }

  async function actFirst(): Promise<Answer> {
    const now = clock()
    const digest = encryptor.digest(content, purpose)
    try {
      return await act({ operation, key, digest, now, expiresAt: now + keptMs })
    } catch (error) {
      // It may be the refusal of a caller who may do no more.
      await stayAdmitted?.()
      // Another process was first: this failure may be a consequence of its changes.
      const found = await findAnswer()
      if (found !== undefined) return found.answer
      throw error
    }
  }

  const deadline = performance.now() + waitMs
  for (;;) {
    const found = await findAnswer()
    if (found !== undefined) return found.answer
    if (!requestsUnderWay.has(name)) return requestsUnderWay.run(name, actFirst)
    const leftMs = deadline - performance.now()
    if (leftMs <= 0 || !(await requestsUnderWay.wait(name, leftMs))) {
      throw new ClienteleError('idempotency_in_progress', undefined, { retryAfterSeconds: 1 })
    }
    await stayAdmitted?.()
  }
}
