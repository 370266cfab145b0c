import { type OperationNode, ValueNode } from 'kysely'

/** A placeholder in a statement for a value that is given when the statement runs. */
export class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  toOperationNode(): OperationNode {
    return ValueNode.create(this)
  }
}
