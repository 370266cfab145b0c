/** A series of a chart: a line, or the bars of one colour. */
export interface Series {
  label: string
  /** Its colour and its look: a class */
  look: 'first' | 'second'
  /** One for each day */
  values: readonly number[]
}
