import { createHash, randomBytes } from 'node:crypto'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type NewEvent, renderData } from './new-event.ts'
import type {
  ChainEnd,
  ChainedEvent,
  EventLinker,
  LinkedEvent,
  PendingEvent,
  StoredEvent,
} from './store.ts'

/** The problem of an entry in a feed with a chain. */
export type EntryFault = 'changed' | 'moved' | 'unreadable' | 'forged'

const sealPurpose = 'event as it was written'
const contentPurpose = 'event content'
const linkPurpose = 'event link'
const endPurposes = { end: 'event feed end', beginning: 'event feed beginning' } as const

/** Marks an entry that no process with the key has written. */
const forged = 'forged'

const otherSecret =
  'The hash chain of this feed was begun under another secret: give the one that the server has.'

/** The digests stored beside an entry: two keyed ones, and one of the person if there is one. */
interface Links {
  content: string
  link: string
  person: string | undefined
}

/**
 * Links each entry of a feed to the previous one by digests under a key that is derived from the secrets (HMAC-SHA256):
 * an attacker with the database alone cannot change, move, remove or insert an entry unnoticed.
 *
 * Personal data enters the chain as a salted digest. Erasure deletes the person and the salt, and the digest stays:
 * without the salt it reveals nothing about the person, and the chain stays valid.
 */
export class FeedChain implements EventLinker {
  readonly #encryptor: Encryptor
  readonly begins: boolean
  readonly #isSecretChecked: boolean

  /**
   * @param begins whether feeds without a chain begin one with their next entry
   * @param isSecretChecked whether the secrets are known to be the database's
   */
  constructor(
    encryptor: Encryptor,
    { begins, isSecretChecked }: { begins: boolean; isSecretChecked: boolean },
  ) {
    this.#encryptor = encryptor
    this.begins = begins
    this.#isSecretChecked = isSecretChecked
  }

  /**
   * A digest of an event, made before it is written: it proves that a process with the key wrote it. It excludes the
   * person, whom the database may fill in as changed and an erasure may remove before the event is linked.
   */
  seal(event: NewEvent): string {
    return this.#encryptor.digest(
      describe(event.accountId, { ...event, data: renderData(event) }, undefined),
      sealPurpose,
    )
  }

  extend(
    accountId: string,
    end: ChainEnd,
    entries: readonly PendingEvent[],
  ): { entries: LinkedEvent[]; chain: string | null } {
    const isNew = end.chain === null
    const isOthers = ({ seal }: PendingEvent) => seal !== null && !this.#encryptor.hasKeyOf(seal)
    if (!this.#isSecretChecked && (isNew ? entries.some(isOthers) : !this.#hasKeyOfEnd(end)))
      throw new ClienteleError('secret_wrong', otherSecret)
    // If the end was tampered with, the next entry follows nothing: the chain must not hide the change.
    let previous = isNew ? undefined : (this.openEnd('end', accountId, end) ?? 'broken')
    const linked = entries.map((entry) => {
      const { id, position } = entry
      if (!this.#hasSeal(accountId, entry))
        // Entries before the chain have no seal.
        return { id, position, chain: previous === undefined ? null : forged, personSalt: null }
      const personSalt = entry.person === null ? null : randomBytes(16).toString('base64url')
      const person = digestPerson(personSalt, entry.person)
      const content = this.#encryptor.digest(describe(accountId, entry, person), contentPurpose)
      const follows = previous ?? firstLink(position)
      const link = this.#encryptor.digest(JSON.stringify([follows, content]), linkPurpose)
      previous = link
      const chain = [content, link, ...(person === undefined ? [] : [person])].join(' ')
      return { id, position, chain, personSalt }
    })
    const position = end.position + entries.length
    const chain =
      previous === undefined ? null : this.#sealEnd('end', accountId, position, previous)
    return { entries: linked, chain }
  }

  moveBeginning(
    accountId: string,
    beginning: ChainEnd,
    gone: readonly ChainedEvent[],
  ): string | null | undefined {
    let previous = beginning.chain === null ? null : this.openEnd('beginning', accountId, beginning)
    for (const entry of gone) {
      if (previous === null && entry.chain === null) continue
      const fault = previous === undefined ? 'changed' : this.findFault(accountId, entry, previous)
      // It was never linked: its deletion hides nothing about the others.
      if (fault === 'forged') continue
      if (fault !== undefined) return undefined
      previous = this.linkOf(entry)
    }
    const position = gone.at(-1)?.position ?? beginning.position
    return previous && this.#sealEnd('beginning', accountId, position, previous)
  }

  /** The link of the entry at an end; undefined when we did not write the end. */
  openEnd(
    kind: keyof typeof endPurposes,
    accountId: string,
    { position, chain }: ChainEnd,
  ): string | undefined {
    const [link = '', seal = ''] = chain?.split(' ') ?? []
    const text = JSON.stringify([accountId, position, link])
    return this.#encryptor.isDigestOf(seal, text, endPurposes[kind]) ? link : undefined
  }

  /** The stored link of an entry. */
  linkOf({ chain }: ChainedEvent): string | undefined {
    return chain === null ? undefined : readLinks(chain)?.link
  }

  /**
   * Verifies an entry.
   *
   * @param previous the link of the previous entry; null: there is none; undefined: unknown
   */
  findFault(
    accountId: string,
    entry: ChainedEvent,
    previous: string | null | undefined,
  ): EntryFault | undefined {
    if (entry.chain === forged) return 'forged'
    const links = entry.chain === null ? undefined : readLinks(entry.chain)
    if (links === undefined) return 'changed'
    const { content, link, person } = links
    if (!this.#encryptor.hasKeyOf(content)) return 'unreadable'
    // An erased person leaves only the digest.
    if (entry.person !== null && digestPerson(entry.personSalt, entry.person) !== person)
      return 'changed'
    const described = describe(accountId, entry, person)
    if (!this.#encryptor.isDigestOf(content, described, contentPurpose)) return 'changed'
    if (previous === undefined) return undefined
    const linked = JSON.stringify([previous ?? firstLink(entry.position), content])
    return this.#encryptor.isDigestOf(link, linked, linkPurpose) ? undefined : 'moved'
  }

  /** Whether an entry had a person who was erased. */
  isErased({ chain, person }: ChainedEvent): boolean {
    return person === null && chain !== null && readLinks(chain)?.person !== undefined
  }

  #hasSeal(accountId: string, { seal, ...entry }: PendingEvent): boolean {
    return (
      seal !== null &&
      this.#encryptor.isDigestOf(seal, describe(accountId, entry, undefined), sealPurpose)
    )
  }

  /** A process with another secret than the server's would break the chain. */
  #hasKeyOfEnd({ chain }: ChainEnd): boolean {
    const [, seal = ''] = chain?.split(' ') ?? []
    return this.#encryptor.hasKeyOf(seal)
  }

  #sealEnd(
    kind: keyof typeof endPurposes,
    accountId: string,
    position: number,
    link: string,
  ): string {
    const text = JSON.stringify([accountId, position, link])
    return `${link} ${this.#encryptor.digest(text, endPurposes[kind])}`
  }
}

/** The predecessor of a chain's first entry. */
function firstLink(position: number): string {
  return `begins at ${position}`
}

function readLinks(chain: string): Links | undefined {
  const [content, link, person] = chain.split(' ')
  return content === undefined || link === undefined ? undefined : { content, link, person }
}

function digestPerson(salt: string | null, person: string | null): string | undefined {
  if (person === null) return undefined
  return createHash('sha256')
    .update(JSON.stringify([salt, person]))
    .digest('base64url')
}

/** All data of an entry except its position, which follows from the previous entry. */
function describe(
  accountId: string,
  entry: Omit<StoredEvent, 'position' | 'person'>,
  person: string | undefined,
): string {
  const { id, type, createdAt, actor, requestId, subject, data } = entry
  return JSON.stringify([
    accountId,
    id,
    type,
    createdAt,
    actor.type,
    actor.id,
    requestId,
    subject.type,
    subject.id,
    data,
    person ?? null,
  ])
}
