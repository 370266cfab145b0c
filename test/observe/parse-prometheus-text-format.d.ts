// The package has no types.
declare module 'parse-prometheus-text-format' {
  export interface Family {
    name: string
    help: string
    type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED'
    metrics: {
      labels?: Record<string, string>
      value?: string
    }[]
  }
  export default function parse(page: string): Family[]
}
