/** A record as it was read: what it says, or why it could not be read. */
export interface ImportRecord {
  /** Where it stands in its file, from 1 */
  line: number
  value?: unknown
  fault?: string
}

export interface ImportError {
  line: number
  code: string
  message: string
}
