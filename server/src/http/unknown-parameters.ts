import type { FieldError } from '@muster/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { nearestName } from '../base/nearest-name.ts'
import { maxFaults } from '../base/storable.ts'
import { asMalformed } from './explain-validation.ts'
import type { Operation } from './operations.ts'

/** Some clients send it with every GET: where there is no list it cannot change an answer. */
const harmless = 'per_page'

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
    const near = nearestName(name.toLowerCase(), known)
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
