import type { FastifyInstance } from 'fastify'
import { type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { applyPatch } from './apply-patch.ts'
import { changeUser, type UserChange } from './change-user.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { type ScimAnswer, type ScimRequest, scimEndpoint } from './endpoint-routes.ts'
import { presentList, readListQuery } from './list-query.ts'
import { isUserId } from './member-changes.ts'
import { parseFilter } from './parse-filter.ts'
import { presentUser, userLocation } from './present-user.ts'
import { readOperations, requireSchema } from './read-operations.ts'
import { readValues } from './read-values.ts'
import { matchesVersion, versionOf } from './require-version.ts'
import { refuse } from './scim-error.ts'
import { readSelection, select } from './selection.ts'
import { draftOf } from './user-draft.ts'
import { countUsers, findUser, listUsers } from './user-queries.ts'
import { userAttributes, userUrn } from './user-schema.ts'
import { whereUsers } from './where-filter.ts'

const bodyLimit = 256 * 1024
const searchUrn = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

export function addUsers(scope: FastifyInstance): void {
  const url = '/Users'
  const one = `${url}/:id`
  scimEndpoint(scope, { method: 'GET', url, run: (request) => search(request, request.query) })
  scimEndpoint(scope, { method: 'POST', url: `${url}/.search`, bodyLimit, run: searchByBody })
  scimEndpoint(scope, { method: 'POST', url, bodyLimit, run: create })
  scimEndpoint(scope, { method: 'GET', url: one, run: read })
  scimEndpoint(scope, { method: 'PUT', url: one, bodyLimit, run: replace })
  scimEndpoint(scope, { method: 'PATCH', url: one, bodyLimit, run: patch })
  scimEndpoint(scope, { method: 'DELETE', url: one, run: remove })
}

async function search({ db, links, call }: ScimRequest, input: Record<string, unknown>): Promise<ScimAnswer> {
  const { filter, startIndex, count, selection } = readListQuery(input)
  const { organizationId } = call
  const where = filter === undefined ? undefined : whereUsers(parseFilter(filter))
  const total = await countUsers(db, organizationId, where)
  const isPast = count === 0 || startIndex > total
  const rows = isPast ? [] : await listUsers(db, { organizationId, where, offset: startIndex - 1, limit: count })
  const resources = rows.map((row) => select(presentUser(row, links), selection))
  return { status: 200, body: presentList(resources, total, startIndex) }
}

/** RFC 7644 §3.4.3. */
async function searchByBody(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, searchUrn)
  return search(request, request.body)
}

async function create(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, userUrn)
  const draft = draftOf(readValues(userAttributes, request.body))
  return transact(request.db, async (tx) => {
    const id = await createUser(tx, draft, request.call)
    const answer = await readFrom(tx, { ...request, id })
    return { ...answer, status: 201, location: userLocation(request.links, id) }
  })
}

async function read(request: ScimRequest): Promise<ScimAnswer> {
  const answer = await readFrom(request.db, request)
  const { body: _body, ...head } = answer
  return matchesVersion(request.ifNoneMatch, answer.version) ? { ...head, status: 304 } : answer
}

async function readFrom(reader: Reader, { call, links, query, id }: ScimRequest): Promise<ScimAnswer> {
  const row = orNotFound(await findUser(reader, call.organizationId, knownId(id)))
  const body = select(presentUser(row, links), readSelection(query))
  return { status: 200, body, version: versionOf(row.revision) }
}

const knownId = (id: string): string => (isUserId(id) ? id : refuse(404, undefined, 'There is no such record.'))

async function replace(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, userUrn)
  const values = readValues(userAttributes, request.body)
  return change(request, (current) => draftOf(values, current))
}

async function patch(request: ScimRequest): Promise<ScimAnswer> {
  const operations = readOperations(request.body)
  return change(request, (current) => draftOf(applyPatch(userAttributes, userUrn, current, operations), current))
}

/** RFC 7644 §3.5.2 leaves the choice; Entra wants the user back. */
function change(request: ScimRequest, work: UserChange['change']): Promise<ScimAnswer> {
  return transact(request.db, async (tx) => {
    const asked = { id: knownId(request.id), precondition: request.ifMatch, change: work }
    await changeUser(tx, asked, request.call)
    return readFrom(tx, request)
  })
}

async function remove({ db, call, id, ifMatch }: ScimRequest): Promise<ScimAnswer> {
  await transact(db, (tx) => deleteUser(tx, knownId(id), ifMatch, call))
  return { status: 204 }
}
