import type { Clientele } from '@clientele/core'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Schema = Record<string, unknown>
type Fault = Pick<ErrorObject, 'instancePath' | 'message'>

/** Holds values against the schemas of the OpenAPI document that a service serves, in the dialect of OpenAPI 3.1. */
export class DocumentValidator {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  /** Most answers are of a few schemas, which take long to compile. */
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: object) {
    addFormats.default(this.#ajv)
    this.#ajv.addFormat('idn-email', /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/u)
    this.#ajv.addSchema({ ...closeObjects(document), $id: 'answers' })
    this.#ajv.addSchema({ ...freeReadOnly(document), $id: 'requests' })
  }

  /** What is wrong with a part of an answer; empty where nothing is. */
  checkAnswer(schema: object, value: unknown): Fault[] {
    return this.#check('answers', closeObjects, schema, value)
  }

  /** What is wrong with a part of a request. */
  checkRequest(schema: object, value: unknown): Fault[] {
    return this.#check('requests', freeReadOnly, schema, value)
  }

  #check(
    side: string,
    change: (schema: object) => object,
    schema: object,
    value: unknown,
  ): Fault[] {
    const key = `${side} ${JSON.stringify(schema)}`
    let check = this.#compiled.get(key)
    if (check === undefined) {
      const text = JSON.stringify(change(schema)).replaceAll('"#/', `"${side}#/`)
      check = this.#ajv.compile(JSON.parse(text))
      this.#compiled.set(key, check)
    }
    return check(value) ? [] : (check.errors ?? [])
  }
}

/** A document may leave room for later members. What is sent today has none but those that it names. */
function closeObjects(document: object): object {
  return changeSchemas(document, (schema) => {
    const isClosed = 'additionalProperties' in schema || 'allOf' in schema || 'anyOf' in schema
    const isOpen = schema.type === 'object' && typeof schema.properties === 'object' && !isClosed
    return isOpen ? { ...schema, additionalProperties: false } : schema
  })
}

/** Of a request the service does not look at these. */
function freeReadOnly(document: object): object {
  return changeSchemas(document, (schema) => (schema.readOnly === true ? {} : schema))
}

function changeSchemas(document: object, change: (schema: Schema) => Schema): object {
  return JSON.parse(JSON.stringify(document), (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? change(part as Schema) // an object
      : part,
  )
}

const byClientele = new WeakMap<Clientele, Promise<DocumentValidator>>()
const byDocument = new Map<string, DocumentValidator>()

/** The validator of the document that this Clientele serves; made once for all that serve the same. */
export function validatorOf(clientele: Clientele): Promise<DocumentValidator> {
  const known = byClientele.get(clientele)
  if (known !== undefined) return known
  const made = clientele.openApi().then((document) => {
    const text = JSON.stringify(document)
    const validator = byDocument.get(text) ?? new DocumentValidator(document)
    byDocument.set(text, validator)
    return validator
  })
  byClientele.set(clientele, made)
  return made
}
