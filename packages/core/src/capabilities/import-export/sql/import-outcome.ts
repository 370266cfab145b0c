import { Rollback } from '../../../sql/driver.ts'
import { mapFields, userFieldNames } from '../../../user-model/fields.ts'
import type { PlannedUser } from '../planned-user.ts'
import type { ImportOutcome, WrittenUser } from '../store.ts'

/** The outcome of a batch, and the users that it wrote */
export interface Written {
  outcome: ImportOutcome
  written: WrittenUser[]
}

/**
 * How many rounds of statements a batch takes when its users share e-mails or ids; the remaining users follow in a
 * later batch.
 */
export const maxRounds = 8

export function toWritten({ changed, isNew, ...user }: PlannedUser): WrittenUser {
  return { isNew, changed: [...changed], user: mapFields(userFieldNames, (name) => user[name]) }
}

/** Rolls back a batch that is stored whole or not at all. */
export class LeftOut extends Rollback {
  readonly outcome: ImportOutcome

  constructor(outcome: ImportOutcome) {
    super('Records were left out.')
    this.outcome = outcome
  }
}

/** Rolls back a batch because another process created one of its users meanwhile. */
export class Overtaken extends Rollback {}
