import { ClienteleError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/input/json.ts'
import { isOwnSchema } from '../attribute-name.ts'
import { readAttributes } from '../read-attributes.ts'
import { mayBeAttribute } from './parse-path.ts'

/** One operation of a PATCH. Clients write `op` in any case. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove'
  path: string | undefined
  value: unknown
}

const maxOperations = 1_000

/**
 * Reads the operations of a PATCH (RFC 7644, section 3.5.2). One without a path is an operation for each member of its
 * value, whose names may be paths, too: `{"name.familyName": "King"}`.
 *
 * @throws ClienteleError `scim_value_invalid`, `scim_path_invalid`
 */
export function readOperations(body: Record<string, unknown>): PatchOperation[] {
  const given = readAttributes(body).get('operations')
  const list = Array.isArray(given) ? given : isPlainObject(given) ? [given] : undefined
  if (list === undefined || list.length === 0 || list.length > maxOperations) {
    const message = `Operations must be a list of 1 to ${maxOperations} operations.`
    throw new ClienteleError('scim_value_invalid', message)
  }
  const operations = list.flatMap(readOperation)
  if (operations.length > maxOperations) throw tooManyAttributes()
  return operations
}

/**
 * The attributes of a resource, also those that a client puts below the name of our schema. Each costs as much as an
 * operation.
 *
 * @throws ClienteleError `scim_value_invalid`
 */
export function listAttributes(
  resource: Record<string, unknown>,
): [name: string, value: unknown][] {
  const attributes = Object.entries(resource).flatMap(([name, value]) =>
    isOwnSchema(name) && isPlainObject(value) ? Object.entries(value) : [[name, value] as const],
  )
  if (attributes.length > maxOperations) throw tooManyAttributes()
  return attributes.flatMap(([name, value]) => (mayBeAttribute(name) ? [[name, value]] : []))
}

function tooManyAttributes(): ClienteleError {
  const message = `A request may name ${maxOperations} attributes at most.`
  return new ClienteleError('scim_value_invalid', message)
}

function readOperation(given: unknown): PatchOperation[] {
  if (!isPlainObject(given)) throw invalidOperation()
  const members = readAttributes(given)
  const op = String(members.get('op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove') throw invalidOperation()
  const path = members.get('path')
  const value = members.get('value')
  if (typeof path === 'string' && path !== '' && !isOwnSchema(path)) return [{ op, path, value }]
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw new ClienteleError('scim_path_invalid')
  if (op === 'remove')
    throw new ClienteleError('scim_path_invalid', 'An operation remove needs a path.')
  if (!isPlainObject(value)) {
    const message = 'The value of an operation without a path must be an object.'
    throw new ClienteleError('scim_value_invalid', message)
  }
  return listAttributes(value).map(([name, each]) => ({ op, path: name, value: each }))
}

function invalidOperation(): ClienteleError {
  return new ClienteleError('scim_value_invalid', 'op must be add, replace or remove.')
}
