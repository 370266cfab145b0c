export type IsolationLevel = 'read committed' | 'repeatable read'

/**
 * The level at which a transaction of ours begins on PostgreSQL. A database may have another default, in which a change does
 * not see what it has waited for.
 */
export function isolationLevelOf(hasSnapshot: boolean): IsolationLevel {
  return hasSnapshot ? 'repeatable read' : 'read committed'
}
