import { ClienteleError } from '../../../base/errors.ts'
import { maxSetBackMs } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { WriteWithEffects } from '../../../sql/write-with-effects.ts'
import type { KeptAnswer, NewReply } from '../store.ts'

/** Stores the response of a write in the write's own transaction. Only writes with a key need it. */
export interface ReplyKeeper {
  /**
   * Executes a write and stores the response that its row gives. If no row was written, nothing is stored.
   *
   * @throws ClienteleError `idempotency_in_progress`
   */
  execute<Input extends { accountId: string }, Row extends object>(
    write: WriteWithEffects<Input, Row>,
    input: Input,
    reply: NewReply,
    toAnswer: (row: Row) => KeptAnswer,
  ): Promise<Row | undefined>
  /**
   * Executes a write without a result, and stores an empty response if there is a key. Returns whether there was a row
   * to write.
   *
   * @throws ClienteleError `idempotency_in_progress`
   */
  executeSilently<Input extends { accountId: string }>(
    write: WriteWithEffects<Input, object>,
    input: Input,
    reply: NewReply | undefined,
  ): Promise<boolean>
  /**
   * Runs a transaction that stores a response with `keep`.
   *
   * @throws ClienteleError `idempotency_in_progress` when another process uses the key, or has locked the rows
   */
  transact<T>(work: () => Transaction<T>): Promise<T>
  /** Stores a response as a part of such a transaction, which is rolled back when the key already has one. */
  keep(accountId: string, reply: NewReply, answer: KeptAnswer): Transaction<void>
}

interface ReplyValues extends NewReply {
  accountId: string
  userId: string | null
  answer: string
  latest: number
}

export function createReplyKeeper(db: Db): ReplyKeeper {
  const insertReply = db.statement<ReplyValues>()((queries, value) =>
    queries
      .insertInto('clientele_replies')
      .values({
        account_id: value('accountId'),
        operation: value('operation'),
        key: value('key'),
        digest: value('digest'),
        answer: value('answer'),
        user_id: value('userId'),
        expires_at: value('expiresAt'),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'operation', 'key'])
          .doUpdateSet((of) => ({
            digest: of.ref('excluded.digest'),
            answer: of.ref('excluded.answer'),
            user_id: of.ref('excluded.user_id'),
            expires_at: of.ref('excluded.expires_at'),
          }))
          .where((of) =>
            of.or([
              of('clientele_replies.expires_at', '<=', value('now')),
              of('clientele_replies.expires_at', '>', value('latest')),
            ]),
          ),
      )
      .returning('key'),
  )

  async function transact<T>(work: () => Transaction<T>): Promise<T> {
    const { driver } = db
    try {
      return await driver.transact(work)
    } catch (cause) {
      if (!(cause instanceof Rollback) && driver.isLockTimeout?.(cause) !== true) throw cause
      const options = { cause, retryAfterSeconds: 1 }
      throw new ClienteleError('idempotency_in_progress', undefined, options)
    }
  }

  function* keep(
    accountId: string,
    reply: NewReply,
    { userId, answer }: KeptAnswer,
  ): Transaction<void> {
    const latest = reply.expiresAt + maxSetBackMs
    const values = { ...reply, accountId, userId, answer: JSON.stringify(answer), latest }
    const [row] = yield* run(insertReply, values)
    if (row === undefined) throw new Rollback('The key has an answer already.')
  }

  const execute: ReplyKeeper['execute'] = (write, input, reply, toAnswer) =>
    transact(function* () {
      const [row] = yield* write.run(input)
      if (row !== undefined) yield* keep(input.accountId, reply, toAnswer(row))
      return row
    })

  return {
    transact,
    keep,
    execute,
    executeSilently: async (write, input, reply) => {
      const row = await (reply === undefined
        ? write.execute(input)
        : execute(write, input, reply, () => ({ userId: null, answer: null })))
      return row !== undefined
    },
  }
}
