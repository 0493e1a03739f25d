import type { Operation } from '../../src/http/operations.ts'
import type { World } from './populate.ts'

/** The collection whose records a path parameter names, where it is not the segment before it. */
const collectionAt: Readonly<Record<string, string>> = {
  'runs external check': 'external_checks',
  memberships: 'devices',
}

/** Operations whose query names a record, by the parameter and its collection. */
const namedByQuery: Readonly<Record<string, string>> = {
  getSsfStreamStatus: 'ssf_streams',
  removeSsfStream: 'ssf_streams',
}

/** Operations for which the first record of the collection is of the wrong kind. */
const placeOf: Readonly<Record<string, number>> = { pollSsfStream: 4 }

function queryOf({ operationId }: Operation, world: World, place: number): string {
  const collection = namedByQuery[operationId]
  return collection === undefined ? '' : `?stream_id=${world[collection]?.[place]}`
}

/** The path of an operation about a record of the world, by default the first of each collection. */
export function addressOf(operation: Operation, world: World, place = placeOf[operation.operationId] ?? 0): string {
  const parts = operation.path.split('/')
  const path = parts
    .map((part, index) => {
      if (!part.startsWith(':')) return part
      const before = parts[index - 1] ?? ''
      const key = operation.operationId === 'runExternalCheck' ? 'runs external check' : before
      const ids = world[collectionAt[key] ?? key]
      const id = ids?.[place] ?? ids?.[0]
      if (id === undefined) throw new Error(`The world has nothing for ${operation.path}`)
      return id
    })
    .join('/')
  return path + queryOf(operation, world, place)
}
