import {
  IdentifierNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  type SchemableIdentifierNode,
  type SelectModifierNode,
  type UnknownRow,
} from 'kysely'
import type { Database } from './tables/tables.ts'

/** Rejects table names with another prefix at compile time. No alias or common table expression has this prefix. */
const prefix: keyof Database extends `clientele_${string}` ? 'clientele_' : never = 'clientele_'

/**
 * Adds a schema to the names of our tables.
 *
 * Kysely's own `withSchema` adds it to each name that the statement itself does not define. It handles a nested query
 * apart from the outer statement's `with`, and so took `changed` for a table.
 */
export class TablesInSchema implements KyselyPlugin {
  readonly #transformer: SchemaTransformer

  constructor(schema: string) {
    this.#transformer = new SchemaTransformer(schema)
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#transformer.transformNode(node, queryId)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

class SchemaTransformer extends OperationNodeTransformer {
  readonly #schema: string

  constructor(schema: string) {
    super()
    this.#schema = schema
  }

  protected override transformSchemableIdentifier(
    node: SchemableIdentifierNode,
    queryId?: QueryId,
  ): SchemableIdentifierNode {
    const same = super.transformSchemableIdentifier(node, queryId)
    if (same.schema !== undefined || !same.identifier.name.startsWith(prefix)) return same
    return { ...same, schema: IdentifierNode.create(this.#schema) }
  }

  /** `for update of` names a table of the statement without its schema. */
  protected override transformSelectModifier(
    node: SelectModifierNode,
    queryId?: QueryId,
  ): SelectModifierNode {
    const { of, ...rest } = node
    const same = super.transformSelectModifier(rest, queryId)
    return of === undefined ? same : { ...same, of }
  }
}
