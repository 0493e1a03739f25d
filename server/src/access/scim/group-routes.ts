import type { FastifyInstance } from 'fastify'
import { type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changeGroup, type GroupChange } from './change-group.ts'
import { createGroup } from './create-group.ts'
import { deleteGroup } from './delete-group.ts'
import { type ScimAnswer, type ScimRequest, scimEndpoint } from './endpoint-routes.ts'
import { changeOfOperations } from './group-change.ts'
import { draftOfGroup } from './group-draft.ts'
import { countGroups, findGroup, type GroupRow, listGroups, listMembers, type MemberRow } from './group-queries.ts'
import { groupUrn } from './group-schema.ts'
import { presentList, readListQuery } from './list-query.ts'
import { isUserId, withOnly } from './member-changes.ts'
import { parseFilter } from './parse-filter.ts'
import { groupLocation, presentGroup } from './present-group.ts'
import { readOperations, requireSchema } from './read-operations.ts'
import { matchesVersion, versionOf } from './require-version.ts'
import { refuse } from './scim-error.ts'
import { readSelection, select, wants } from './selection.ts'
import { whereGroups } from './where-filter.ts'

/** 20,000 members as identity providers write them. */
const bodyLimit = 4 * 1024 * 1024
const searchUrn = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
/** In one page of groups. */
const maxMembersListed = 20_000

export function addGroups(scope: FastifyInstance): void {
  const url = '/Groups'
  const one = `${url}/:id`
  scimEndpoint(scope, { method: 'GET', url, run: (request) => search(request, request.query) })
  scimEndpoint(scope, { method: 'POST', url: `${url}/.search`, run: searchByBody })
  scimEndpoint(scope, { method: 'POST', url, bodyLimit, run: create })
  scimEndpoint(scope, { method: 'GET', url: one, run: read })
  scimEndpoint(scope, { method: 'PUT', url: one, bodyLimit, run: replace })
  scimEndpoint(scope, { method: 'PATCH', url: one, bodyLimit, run: patch })
  scimEndpoint(scope, { method: 'DELETE', url: one, run: remove })
}

async function search({ db, links, call }: ScimRequest, input: Record<string, unknown>): Promise<ScimAnswer> {
  const { filter, startIndex, count, selection } = readListQuery(input)
  const { organizationId } = call
  const where = filter === undefined ? undefined : whereGroups(parseFilter(filter))
  const total = await countGroups(db, organizationId, where)
  const isPast = count === 0 || startIndex > total
  const rows = isPast ? [] : await listGroups(db, { organizationId, where, offset: startIndex - 1, limit: count })
  const page = wants(selection, 'members') ? await withMembers(db, organizationId, rows) : rows.map(withoutMembers)
  const resources = page.map(({ row, members }) => select(presentGroup(row, members, links), selection))
  return { status: 200, body: presentList(resources, total, startIndex) }
}

type Listed = { row: GroupRow; members: MemberRow[] | undefined }

const withoutMembers = (row: GroupRow): Listed => ({ row, members: undefined })

/**
 * As many of the groups, but one at least, as have a bounded number of members together: a page may have fewer
 * results than asked for (RFC 7644 §3.4.2.4).
 */
async function withMembers(reader: Reader, organizationId: string, rows: readonly GroupRow[]): Promise<Listed[]> {
  const ids = rows.map((row) => row.person_group_id)
  const members = await listMembers(reader, organizationId, ids, maxMembersListed + 1)
  const byGroup = Map.groupBy(members, (member) => member.person_group_id)
  if (members.length <= maxMembersListed) {
    return rows.map((row) => ({ row, members: byGroup.get(row.person_group_id) ?? [] }))
  }
  const cutOff = members.at(-1)?.person_group_id
  const whole = rows.slice(
    0,
    rows.findIndex((row) => row.person_group_id === cutOff),
  )
  if (whole.length > 0) return whole.map((row) => ({ row, members: byGroup.get(row.person_group_id) ?? [] }))
  const [first] = rows
  return first ? [{ row: first, members: await listMembers(reader, organizationId, [first.person_group_id]) }] : []
}

/** RFC 7644 §3.4.3. */
async function searchByBody(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, searchUrn)
  return search(request, request.body)
}

async function create(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, groupUrn)
  const draft = draftOfGroup(request.body)
  return transact(request.db, async (tx) => {
    const id = await createGroup(tx, draft, request.call)
    const answer = await readFrom(tx, { ...request, id })
    return { ...answer, status: 201, location: groupLocation(request.links, id) }
  })
}

async function read(request: ScimRequest): Promise<ScimAnswer> {
  const answer = await readFrom(request.db, request)
  const { body: _body, ...head } = answer
  return matchesVersion(request.ifNoneMatch, answer.version) ? { ...head, status: 304 } : answer
}

async function readFrom(reader: Reader, { call, links, query, id }: ScimRequest): Promise<ScimAnswer> {
  const { organizationId } = call
  const row = orNotFound(await findGroup(reader, organizationId, knownId(id)))
  const selection = readSelection(query)
  const members = wants(selection, 'members') ? await listMembers(reader, organizationId, [id]) : undefined
  return {
    status: 200,
    body: select(presentGroup(row, members, links), selection),
    version: versionOf(row.revision),
  }
}

const knownId = (id: string): string => (isUserId(id) ? id : refuse(404, undefined, 'There is no such record.'))

async function replace(request: ScimRequest): Promise<ScimAnswer> {
  requireSchema(request.body, groupUrn)
  const { displayName, externalId, members } = draftOfGroup(request.body)
  await change(request, { displayName, externalId, ...(members && { members: withOnly(members) }) })
  return readFrom(request.db, request)
}

/** RFC 7644 §3.5.2: unless attributes are requested, nothing is sent back, so that the members need not be read. */
async function patch(request: ScimRequest): Promise<ScimAnswer> {
  await change(request, changeOfOperations(readOperations(request.body)))
  return request.query['attributes'] === undefined ? { status: 204 } : readFrom(request.db, request)
}

function change({ db, id, ifMatch, call }: ScimRequest, asked: GroupChange): Promise<void> {
  return transact(db, (tx) => changeGroup(tx, { id: knownId(id), precondition: ifMatch, change: asked }, call))
}

async function remove({ db, call, id, ifMatch }: ScimRequest): Promise<ScimAnswer> {
  await transact(db, (tx) => deleteGroup(tx, knownId(id), ifMatch, call))
  return { status: 204 }
}
