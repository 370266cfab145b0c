/** A filter (RFC 7644, section 3.4.2.2). Attributes are in lower case, without their schema. */
export type Filter =
  | { kind: 'and' | 'or'; parts: readonly Filter[] }
  | { kind: 'not'; part: Filter }
  | Comparison

export const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'pr'] as const
export type Operator = (typeof operators)[number]

export interface Comparison {
  kind: 'compare'
  attribute: string
  operator: Operator
  /** Null for `pr`, too */
  value: string | number | boolean | null
}
