/**
 * Why a document cannot be read, in words for the user who chose its address. The document's content is not in the
 * message.
 */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument'
  /** The status of a response other than 200 */
  readonly status: number | undefined

  constructor(reason: string, options: ErrorOptions & { status?: number | undefined } = {}) {
    super(reason, options)
    this.status = options.status
  }
}
