import { system } from '../../../base/call/call.ts'
import { newEvent } from '../../events/new-event.ts'
import { renderEvent } from '../../events/render-event.ts'
import type { StoredEvent } from '../../events/store.ts'
import { listTypes } from '../../events/type-patterns.ts'
import { latestAttempt } from '../delivery-times.ts'
import { laterThan } from '../later-than.ts'
import type { WebhooksServices } from '../services.ts'
import type { LeasedWebhook, PendingDelivery } from '../store.ts'
import { testType } from '../test-webhook.ts'
import type { DisabledReason } from '../webhook.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import { findNextAttempt } from './retry-schedule.ts'
import { sendWebhook, type WebhookAnswer } from './send-webhook.ts'
import { TurnProgress } from './turn-progress.ts'

/** The maximum number of messages in one turn; then other endpoints have theirs. */
const maxEvents = 100
const maxPending = 20
/** How many events are read where others wait: then a turn is one request. */
const eventsOfCrowded = 5
const turnMs = 5_000
/** An endpoint is switched off after this time without a success. */
const maxFailingMs = 5 * 24 * 3_600_000

export interface TurnOptions {
  /** The holder of the lease */
  holder: string
  /** Shared by all endpoints of the process */
  slots: DeliverySlots
  /** Cancels requests under way */
  signal: AbortSignal
  /** Whether no further delivery may begin */
  isStopping: () => boolean
  /** Whether others wait for the turn's place */
  isCrowded: () => boolean
}

/** A message to send: the next event of the feed, or a message that was set aside. */
interface Task {
  id: string
  /** The event as it was read, or the text of a test */
  content: StoredEvent | string
  type: string
  /** When the event was written, in milliseconds since the epoch */
  createdAt: number
  /** Its position in the feed; undefined: it was set aside */
  position?: number
  pending?: PendingDelivery
}

/**
 * One turn of an endpoint that this process has leased: sends what is due, at most two at once, records the outcome,
 * and releases the endpoint. Failed events are set aside, so that they do not block others.
 */
export class EndpointTurn {
  readonly #services: WebhooksServices
  readonly #webhook: LeasedWebhook
  readonly #options: TurnOptions
  readonly #progress: TurnProgress
  readonly #endsAt = performance.now() + turnMs
  #line: Task[] = []
  #pending: PendingDelivery[] = []
  #prefersPending = false
  #hasBegun = false
  /** The number of requests that are sent or wait to be sent */
  #underWay = 0
  #disabledReason: DisabledReason | undefined
  /** Whether what was read may not be sent any more */
  #isOutdated = false

  constructor(services: WebhooksServices, webhook: LeasedWebhook, options: TurnOptions) {
    this.#services = services
    this.#webhook = webhook
    this.#options = options
    this.#progress = new TurnProgress(services, webhook, options.holder)
  }

  async run(): Promise<void> {
    const { slots } = this.#options
    await slots.read(this.#webhook.accountId, () => this.#load())
    // An endpoint that hangs occupies one request, not two: the second one starts only after the first has succeeded.
    const isAnswering = await this.#sendNext()
    await Promise.all([this.#work(), isAnswering ? this.#work() : undefined])
    await this.#progress.settle({ isLast: true })
    if (this.#disabledReason !== undefined) await this.#disable(this.#disabledReason)
  }

  async #load(): Promise<void> {
    const { repository, clock } = this.#services
    const { accountId, id, position, types, isActive } = this.#webhook
    const limit = this.#options.isCrowded() ? eventsOfCrowded : maxEvents
    const wanted = { after: position, limit, types: listTypes(types) }
    const now = clock()
    const [pending, page] = await Promise.all([
      repository.webhooks.listPending(accountId, id, { after: 0, until: now }, maxPending),
      isActive ? repository.events.readPlaced(accountId, wanted) : undefined,
    ])
    this.#pending = pending
    // It was due for a reason: deliveries that were set aside while a clock was ahead.
    if (pending.length === 0 && !page?.events.length)
      this.#pending = await repository.webhooks.listPending(accountId, id, strayAt(now), maxPending)
    if (page === undefined) return
    this.#line = page.events.map((event) => ({
      id: event.id,
      content: event,
      type: event.type,
      createdAt: event.createdAt,
      position: event.position,
    }))
    // The older one first: a turn may be one request.
    const [oldest] = this.#pending
    const [next] = this.#line
    this.#prefersPending =
      oldest !== undefined && next !== undefined && oldest.nextAttemptAt < next.createdAt
    this.#progress.begin(
      page.events.map((event) => event.position),
      page.position,
    )
  }

  async #work(): Promise<void> {
    while (await this.#sendNext());
  }

  /** Sends the next message; returns whether there was one and it was received. */
  async #sendNext(): Promise<boolean> {
    for (;;) {
      const { slots, signal, isStopping, isCrowded } = this.#options
      const isOver =
        this.#disabledReason !== undefined ||
        this.#isOutdated ||
        this.#progress.isLost ||
        isStopping() ||
        (this.#hasBegun && isCrowded()) ||
        performance.now() >= this.#endsAt
      const task = isOver ? undefined : await this.#take()
      if (task === undefined) return false
      this.#underWay++
      this.#hasBegun = true
      const answer = await slots
        .run(this.#webhook, async () => {
          await this.#progress.renew()
          // It waited: the lease may have ended, and another process sends it.
          if (this.#progress.isLost || isStopping()) return undefined
          const message = { id: task.id, find: () => this.#find(task) }
          return sendWebhook(this.#services, this.#webhook, message, signal)
        })
        .finally(() => {
          this.#underWay--
        })
      if (answer === undefined) return false
      this.#note(task, answer)
      // After the last one the progress is recorded when the turn ends.
      if (this.#underWay > 0 || this.#line.length > 0 || this.#pending.length > 0)
        await this.#progress.settle()
      if (isSuccess(answer)) return true
    }
  }

  /** The next message, from the feed or from those set aside: alternately, if there are both. */
  async #take(): Promise<Task | undefined> {
    for (;;) {
      const isPendingNext = this.#prefersPending || this.#line.length === 0
      const pending = isPendingNext ? this.#pending.shift() : undefined
      this.#prefersPending = pending === undefined
      if (pending === undefined) return this.#line.shift()
      const task = await this.#read(pending)
      if (task !== undefined) return task
      // A deleted event is no longer sent.
      this.#progress.end(pending.eventId)
    }
  }

  async #read(pending: PendingDelivery): Promise<Task | undefined> {
    const { eventId: id, position, payload } = pending
    if (payload !== null) {
      const createdAt = pending.nextAttemptAt
      return { id, content: payload, type: testType, createdAt, pending }
    }
    const { accountId } = this.#webhook
    const request = { after: position - 1, limit: 1 }
    const [event] = (await this.#services.repository.events.readPlaced(accountId, request)).events
    if (event?.id !== id) return undefined
    const { type, createdAt } = event
    return { id, content: event, type, createdAt, pending }
  }

  /**
   * What writes the body of a request that begins now. An event that was read a while ago may have lost its person since: after
   * an erasure has answered, nobody is sent the person. Undefined: the account was disabled, the endpoint switched off,
   * deleted or given another URL, or the event deleted.
   */
  async #find({ id, content }: Task): Promise<(() => string) | undefined> {
    const { repository } = this.#services
    const { accountId } = this.#webhook
    const found = await repository.webhooks.findSendable(accountId, id, this.#webhook)
    const isTest = typeof content === 'string'
    if (found === undefined || !(isTest || (found.isActive && found.exists))) {
      this.#isOutdated = true
      return undefined
    }
    if (isTest) return () => content
    const event = found.hasPerson ? content : { ...content, person: null }
    return () => renderEvent(event)
  }

  #note(task: Task, answer: WebhookAnswer): void {
    const { id: eventId, type, position, pending } = task
    const { status, reason, retryAfter, durationMs } = answer
    const now = this.#services.clock()
    const attempt = (pending?.attempts ?? 0) + 1
    const isTest = type === testType
    this.#progress.attempt({
      id: this.#services.newId(),
      eventId,
      type,
      attempt,
      status,
      reason,
      attemptedAt: now,
      durationMs,
    })
    this.#tell(task, attempt, answer)
    if (isSuccess(answer)) this.#progress.failingSince = null
    // Not later than now: the clock may have been ahead.
    else if (!isTest)
      this.#progress.failingSince = Math.min(this.#progress.failingSince ?? now, now)
    const next = isSuccess(answer) || isTest ? undefined : findNextAttempt(attempt, now, retryAfter)
    if (next !== undefined) {
      this.#progress.postpone({
        eventId,
        position: pending?.position ?? position ?? 0,
        payload: null,
        attempts: attempt,
        nextAttemptAt: next,
      })
    } else if (pending !== undefined) this.#progress.end(eventId)
    if (position !== undefined) this.#progress.pass(position)
    const { failingSince } = this.#progress
    if (status === 410) this.#disabledReason = 'gone'
    else if (failingSince !== null && now - failingSince >= maxFailingMs)
      this.#disabledReason = 'failing'
  }

  #tell({ createdAt }: Task, attempt: number, { status, reason, durationMs }: WebhookAnswer): void {
    const { observation, clock } = this.#services
    const { accountId, id: webhookId } = this.#webhook
    const lagMs = Math.max(0, clock() - durationMs - createdAt)
    observation?.delivery?.({ accountId, webhookId, status, reason, attempt, durationMs, lagMs })
  }

  async #disable(reason: DisabledReason): Promise<void> {
    const { repository, events, newRequestId } = this.#services
    const { accountId, id, updatedAt: unchangedSince } = this.#webhook
    const call = { accountId, actor: system, requestId: newRequestId() }
    const event = newEvent(this.#services, call, 'webhook.disabled', id, { reason })
    const change = { reason, at: laterThan(this.#webhook, this.#services), unchangedSince }
    const isDisabled = await repository.webhooks.disable(accountId, id, change, event)
    if (isDisabled) events.emit(event)
  }
}

/** The times of deliveries that were set aside while a clock was ahead */
function strayAt(now: number): { after: number; until: number } {
  return { after: latestAttempt(now), until: Number.MAX_SAFE_INTEGER }
}

function isSuccess({ status }: WebhookAnswer): boolean {
  return status !== null && status >= 200 && status < 300
}
