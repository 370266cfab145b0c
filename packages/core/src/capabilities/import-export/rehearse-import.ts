import type { ImportConflict, ImportExportStore, ImportedUser, ImportOutcome } from './store.ts'

/** Predicts the outcome of successive batches, none of which is stored. */
export class ImportRehearsal {
  readonly #repository: { importExport: ImportExportStore }
  readonly #accountId: string
  readonly #emails = new Set<string>()
  readonly #ids = new Set<string>()

  constructor(repository: { importExport: ImportExportStore }, accountId: string) {
    this.#repository = repository
    this.#accountId = accountId
  }

  /** Stops at the first conflict if a conflict ends the import. */
  async run(
    users: readonly ImportedUser[],
    { updatesKnown, isAllOrNothing }: { updatesKnown: boolean; isAllOrNothing: boolean },
  ): Promise<ImportOutcome> {
    const known = await this.#findKnown(users)
    const conflicts: ImportConflict[] = []
    let updated = 0
    let withoutPassword = 0
    let invitable = 0
    for (const [index, user] of users.entries()) {
      const { id, namesId, email, passwordHash } = user
      const holder = known.byEmail.get(email)
      const hasEmail = holder !== undefined || this.#emails.has(email)
      const hasId = namesId && (known.ids.has(id) || this.#ids.has(id))
      const areTwo = hasId && holder !== undefined && holder !== id
      if (areTwo || ((hasEmail || hasId) && !updatesKnown)) {
        conflicts.push({ index, code: hasEmail ? 'email_taken' : 'id_taken' })
        if (isAllOrNothing) break
        continue
      }
      if (hasEmail || hasId) updated++
      else if (passwordHash === undefined) {
        withoutPassword++
        if (user.isActive !== false) invitable++
      }
      this.#emails.add(email)
      // A user who is found by the address keeps the id.
      if (namesId && !hasEmail) this.#ids.add(id)
    }
    return { conflicts, updated, withoutPassword, invitable }
  }

  async #findKnown(users: readonly ImportedUser[]) {
    const found = await this.#repository.importExport.findTaken(this.#accountId, {
      emails: users.map(({ email }) => email),
      ids: users.flatMap(({ id, namesId }) => (namesId ? [id] : [])),
    })
    return {
      byEmail: new Map(found.map(({ id, email }) => [email, id])),
      ids: new Set(found.map(({ id }) => id)),
    }
  }
}
