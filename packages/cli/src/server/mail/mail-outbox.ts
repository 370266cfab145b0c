import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger, Mail } from '@clientele/core'
import { type Letter, MailFailure, type MailSender } from './mail-sender.ts'
import { maxWaiting, type Retry, RetryQueue } from './retry-queue.ts'

/** The pauses between attempts, in milliseconds; the last one repeats. */
const pausesMs = [5_000, 30_000, 120_000, 300_000]
/** How long mails may still be tried when the server stops, in milliseconds */
const lastMs = 5_000

/**
 * Sends mails, and retries while their code is valid. Waiting mails are in memory: if the process dies, the
 * users ask for another mail.
 */
export class MailOutbox {
  readonly #sender: MailSender
  readonly #logger: Logger
  readonly #retries = new RetryQueue((retry) =>
    this.#try(retry).catch((error: unknown) => this.#logLoss(retry, error)),
  )
  readonly #underWay = new Set<Promise<void>>()
  #isClosing = false

  constructor(sender: MailSender, logger: Logger) {
    this.#sender = sender
    this.#logger = logger
  }

  /** Resolves when the mail is sent, or waits for another attempt. @throws MailFailure */
  async send(mail: Mail): Promise<void> {
    const times = { createdAt: new Date(), queuedAt: performance.now() }
    const letter = { id: `mail_${randomUUID()}`, ...times, mail }
    await this.#try({ letter, tries: 1 })
  }

  /** Waits for running attempts, tries waiting mails a last time, and returns how many were not sent. */
  async close(): Promise<void> {
    this.#isClosing = true
    const letters = this.#retries.takeAll()
    const attempts = [...this.#underWay, ...letters.map((letter) => this.#sender.deliver(letter))]
    let unsent = attempts.length
    const ends = attempts.map((attempt) =>
      attempt.then(
        () => unsent--,
        () => undefined,
      ),
    )
    await Promise.race([Promise.all(ends), sleep(lastMs, undefined, { ref: false })])
    if (unsent > 0) this.#logger.error({ mails: unsent }, 'Mails were not sent: the server stops.')
    this.#sender.close()
  }

  async #try({ letter, tries }: Retry): Promise<void> {
    const attempt = this.#sender.deliver(letter)
    this.#underWay.add(attempt)
    try {
      await attempt
    } catch (error) {
      const pauseMs = pausesMs[Math.min(tries, pausesMs.length) - 1] ?? 0
      const { queuedAt, mail } = letter
      const isTooLate = performance.now() + pauseMs > queuedAt + mail.expiresInSeconds * 1000
      const isFinal = error instanceof MailFailure && error.isFinal
      if (isTooLate || isFinal || this.#isClosing) throw error
      const next = { letter, tries: tries + 1 }
      // Random, so that not all mails are retried at the same moment
      const lost = this.#retries.add(next, pauseMs * (0.8 + 0.4 * Math.random()))
      const isFull = new MailFailure(`${maxWaiting} mails wait for another attempt already.`)
      if (lost === next) throw isFull
      if (lost !== undefined) this.#logLoss(lost, isFull)
      this.#logger.warn({ ...describe(letter), error, tries }, 'A mail waits for another attempt.')
    } finally {
      this.#underWay.delete(attempt)
    }
  }

  #logLoss({ letter, tries }: Retry, error: unknown): void {
    this.#logger.error({ ...describe(letter), error, tries }, 'A mail could not be sent.')
  }
}

function describe({ id, mail }: Letter): object {
  return { mailId: id, kind: mail.kind, accountId: mail.accountId, userId: mail.user.id }
}
