import { type Expression, expressionBuilder } from 'kysely'
import type { DialectFeatures } from './dialect-features.ts'

/** The ids in the result of `toIdsJson`, for `where('id', 'in', …)`. */
export function idsInJson(features: DialectFeatures, json: Expression<string>) {
  return expressionBuilder<object>()
    .selectFrom(features.recordsOfJsonArray<{ id: string }>(json, { id: 'id' }).as('a'))
    .select('a.id')
}

export function toIdsJson(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => ({ id })))
}
