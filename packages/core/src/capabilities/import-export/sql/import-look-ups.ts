import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { ImportedUser } from '../store.ts'

export type ImportLookUps = ReturnType<typeof createImportLookUps>

/** Finds the users that a batch names, by e-mail and by id; lists are passed as JSON. */
export function createImportLookUps(db: Db) {
  const { features } = db
  const emailsTaken = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        features.isAmong(
          of.ref('email'),
          of.selectFrom(features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      ),
  )
  const idsTaken = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where((of) => features.isAmong(of.ref('id'), idsInJson(features, value('ids')))),
  )
  return { emailsTaken, idsTaken }
}

/** The users who have one of the e-mails or ids in the records. */
export function* findTaken(
  lookUps: ImportLookUps,
  accountId: string,
  { emails, ids }: { emails: string[]; ids: string[] },
): Transaction<Map<string, string>> {
  const found = new Map<string, string>()
  const input = { accountId, emails: JSON.stringify(emails) }
  for (const { id, email } of yield* run(lookUps.emailsTaken, input)) found.set(id, email)
  if (ids.length === 0) return found
  const named = toIdsJson(ids)
  for (const { id, email } of yield* run(lookUps.idsTaken, { accountId, ids: named }))
    found.set(id, email)
  return found
}

export function namesOf(items: readonly { user: ImportedUser }[]): {
  emails: string[]
  ids: string[]
} {
  return {
    emails: items.map(({ user }) => user.email),
    ids: items.flatMap(({ user }) => (user.namesId ? [user.id] : [])),
  }
}
