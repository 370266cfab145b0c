import type { Metric, Registry } from 'prom-client'

interface Series {
  labels: Record<string, string | number>
  /** The number of values in each bucket; the last bucket has the values above all bounds */
  counts: Float64Array
  sum: number
}

/** A line of the page */
interface Line {
  metricName: string
  labels?: { le: number | string }
  sharedLabels: Series['labels']
  value: number
}

/** Where the series whose labels begin alike are found, by their next label */
interface Place {
  below: Map<string | number, Place>
  series: Series | undefined
}

interface HistogramOptions<Label extends string> {
  name: string
  help: string
  /** Upper bounds, the lowest first */
  buckets: readonly number[]
  labelNames?: readonly Label[]
  registry: Registry
}

/**
 * A histogram for a registry of prom-client. Prom-client's own histogram looks up labels as an object and buckets by text: it
 * takes 1.3 µs per value, and this one less than 0.1 µs.
 */
export class FastHistogram<Label extends string = never> {
  readonly type = 'histogram'
  /** The counts of several workers are summed */
  readonly aggregator = 'sum'
  readonly name: string
  readonly help: string
  readonly #buckets: readonly number[]
  readonly #labelNames: readonly Label[]
  readonly #root = createPlace()
  readonly #series: Series[] = []

  constructor({ name, help, buckets, labelNames = [], registry }: HistogramOptions<Label>) {
    this.name = name
    this.help = help
    this.#buckets = buckets
    this.#labelNames = labelNames
    if (labelNames.length === 0) this.#find([])
    // The registry uses only the metric's name, `get` and `getForPromString`.
    registry.registerMetric(this as unknown as Metric)
  }

  /** @param labels in the order of their names */
  observe(value: number, ...labels: readonly (string | number)[]): void {
    const series = this.#find(labels)
    let bucket = 0
    while (bucket < this.#buckets.length && value > Number(this.#buckets[bucket])) bucket++
    series.counts[bucket] = Number(series.counts[bucket]) + 1
    series.sum += value
  }

  /** The values with all of their labels, by which those of several workers are summed. */
  async get(): Promise<object> {
    const merge = ({ labels, sharedLabels, ...value }: Line) => ({
      ...value,
      labels: { ...labels, ...sharedLabels },
    })
    return { ...this.#description, values: this.#lines.map(merge) }
  }

  /** The values for the registry's text: it renders `sharedLabels` once, and other labels for every page. */
  async getForPromString(): Promise<object> {
    return { ...this.#description, values: this.#lines }
  }

  get #description() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator }
  }

  get #lines(): Line[] {
    return this.#series.flatMap(this.#list)
  }

  #find(labels: readonly (string | number)[]): Series {
    let place = this.#root
    for (const label of labels) {
      let next = place.below.get(label)
      if (next === undefined) {
        next = createPlace()
        place.below.set(label, next)
      }
      place = next
    }
    place.series ??= this.#begin(labels)
    return place.series
  }

  #begin(labels: readonly (string | number)[]): Series {
    const named = this.#labelNames.map((name, index) => [name, labels[index] ?? ''])
    const counts = new Float64Array(this.#buckets.length + 1)
    const series = { labels: Object.fromEntries(named), counts, sum: 0 }
    this.#series.push(series)
    return series
  }

  readonly #list = ({ labels: sharedLabels, counts, sum }: Series): Line[] => {
    let count = 0
    const buckets = Array.from(counts, (inBucket, index) => {
      count += inBucket
      const le = this.#buckets[index] ?? '+Inf'
      return { metricName: `${this.name}_bucket`, labels: { le }, sharedLabels, value: count }
    })
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, sharedLabels, value: sum },
      { metricName: `${this.name}_count`, sharedLabels, value: count },
    ]
  }
}

function createPlace(): Place {
  return { below: new Map(), series: undefined }
}
