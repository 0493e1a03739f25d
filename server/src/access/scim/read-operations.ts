import { isRecord } from './attribute.ts'
import { refuse } from './scim-error.ts'

export type Operation = { op: 'add' | 'remove' | 'replace'; path: string | undefined; value: unknown }

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const maxOperations = 1_000
const kinds = ['add', 'remove', 'replace'] as const

/** The operations of a PATCH body (RFC 7644 §3.5.2). Entra writes the names of operations with a capital. */
export function readOperations(body: Record<string, unknown>): Operation[] {
  requireSchema(body, patchUrn)
  const list = body['Operations'] ?? body['operations']
  if (!Array.isArray(list) || list.length === 0)
    refuse(400, 'invalidSyntax', 'Operations must be a list of operations.')
  if (list.length > maxOperations) refuse(400, 'tooMany', `A request has at most ${maxOperations} operations.`)
  return list.map(readOperation)
}

function readOperation(entry: unknown): Operation {
  if (!isRecord(entry)) return refuse(400, 'invalidSyntax', 'An operation must be an object.')
  const { op, path, value } = entry
  const kind = kinds.find((name) => typeof op === 'string' && op.toLowerCase() === name)
  if (!kind) return refuse(400, 'invalidSyntax', 'The op of an operation must be add, remove or replace.')
  if (path !== undefined && path !== null && typeof path !== 'string') {
    return refuse(400, 'invalidPath', 'The path of an operation must be a string.')
  }
  const target = path === '' || path === null ? undefined : path
  // §3.5.2.2
  if (kind === 'remove' && target === undefined) refuse(400, 'noTarget', 'An operation that removes needs a path.')
  if (kind !== 'remove' && value === undefined) refuse(400, 'invalidValue', 'The operation needs a value.')
  return { op: kind, path: target, value }
}

/** RFC 7644 §3.1: what a body is, it says itself. */
export function requireSchema(body: Record<string, unknown>, urn: string): void {
  const { schemas } = body
  const named = Array.isArray(schemas) ? schemas : []
  if (named.some((name) => typeof name === 'string' && name.toLowerCase() === urn.toLowerCase())) return
  refuse(400, 'invalidSyntax', `schemas must have ${urn}.`)
}
