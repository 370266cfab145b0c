/** What a chart draws: a line, or the bars of a colour. */
export interface Series {
  label: string
  /** Its colour and its look: a class */
  look: 'first' | 'second'
  /** One for each day */
  values: readonly number[]
}
