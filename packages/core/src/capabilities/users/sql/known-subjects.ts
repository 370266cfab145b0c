import type { TokenSubject } from '../../../base/call/token-subject.ts'
import type { SubjectState } from '../../../user-model/subject-state.ts'

/** Each may hold a user of several KiB. When it is full, no more are kept until the database changes. */
const maxKnown = 2_000

interface Known {
  accountId: string
  state: SubjectState
  /** When the state changes although the database does not, in milliseconds since the epoch */
  endsAt: number
}

/** States that were read, by the object that names their subject: of a token that was sent before it is the same object. */
export class KnownSubjects {
  readonly #known = new Map<TokenSubject, Known>()

  find(accountId: string, subject: TokenSubject, now: number): SubjectState | undefined {
    const known = this.#known.get(subject)
    return known?.accountId === accountId && now < known.endsAt ? known.state : undefined
  }

  keep(subject: TokenSubject, known: Known): void {
    if (this.#known.size < maxKnown) this.#known.set(subject, known)
  }
}
