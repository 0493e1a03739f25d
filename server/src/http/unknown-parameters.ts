import type { FieldError } from '@muster/contract/errors.ts'
import { closest, distance } from 'fastest-levenshtein'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { maxFaults } from '../base/storable.ts'
import { asMalformed } from './explain-validation.ts'
import type { Operation } from './operations.ts'

/** Some clients send it with every GET: where there is no list it cannot change an answer. */
const harmless = 'per_page'

/** No name of a parameter is longer, and none of ours is near to one that is. */
const maxLength = 40

/**
 * Makes the function that refuses a request with query parameters that the operation does not take: ignored, a filter that
 * is misspelled would find everything.
 */
export function unknownParameterRefusal({
  query,
  search = {},
  kind,
  faultsAreMalformed,
}: Pick<Operation, 'query' | 'search' | 'kind' | 'faultsAreMalformed'>): (request: FastifyRequest) => void {
  const taken = query && 'properties' in query ? Object.keys(Object(query.properties)) : []
  const canSearch = Object.keys(search).length > 0
  const known = taken.filter((name) => name !== 'query' || kind !== 'list' || canSearch)
  const accepted = new Set([...taken, harmless])

  function describe(name: string): string {
    if (canSearch && Object.hasOwn(search, name)) {
      return `is not a parameter of this operation; search by it with query, such as query=${name}:…`
    }
    const near = nearest(name, known)
    if (near !== undefined) return `is not a parameter of this operation; did you mean ${near}?`
    return `is not a parameter of this operation, which takes ${known.length > 0 ? known.join(', ') : 'none'}`
  }

  return (request) => {
    const unknown = Object.keys(Object(request.query)).filter((name) => !accepted.has(name))
    if (unknown.length === 0) return
    const errors = unknown.slice(0, maxFaults).map((field): FieldError => ({ field, message: describe(field) }))
    const refusal = new ServiceError('invalid', { errors })
    throw faultsAreMalformed ? asMalformed(refusal) : refusal
  }
}

/** What was probably meant: a name that at most a third of the letters are wrong in, whatever their case. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxLength || known.length === 0) return undefined
  const said = name.toLowerCase()
  const near = closest(said, known)
  return distance(said, near) <= Math.ceil(near.length / 3) ? near : undefined
}
