import type { SignInView, SignInViewFilter } from '@muster/contract/console-records.ts'
import { sql } from 'kysely'
import { searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { beginOf } from './rules.ts'

const newestFirst: Keyset = { id: { column: 'auth_logs.id', type: 'bigint' }, direction: 'desc' }

function signInsOf(reader: Reader, organizationId: string, filter: SignInViewFilter, now: string) {
  const { result, initial_status: status, since, device_id: deviceId, person_id: personId } = filter
  const { failure_reason: reason, connection_id: connectionId } = filter
  const pattern = searchPattern(filter.search)
  let query = reader.selectFrom('auth_logs').where(inOrganization('auth_logs', organizationId))
  if (result !== undefined) query = query.where('auth_logs.result', '=', result)
  if (status !== undefined) query = query.where('auth_logs.initial_status', '=', status)
  if (reason !== undefined) query = query.where('auth_logs.failure_reason', '=', reason)
  if (connectionId !== undefined) query = query.where('auth_logs.connection_id', '=', connectionId)
  if (since !== undefined) query = query.where('auth_logs.started_at', '>=', beginOf(since, now))
  if (deviceId !== undefined) query = query.where('auth_logs.device_id', '=', deviceId)
  if (personId !== undefined) query = query.where('auth_logs.person_id', '=', personId)
  if (pattern === undefined) return query
  return query.where(
    sql<boolean>`(folded(auth_logs.person_name) like ${pattern} or folded(auth_logs.person_email) like ${pattern}
      or folded(auth_logs.device_name) like ${pattern} or folded(auth_logs.ip_address) like ${pattern})`,
  )
}

type SignInRow = Awaited<ReturnType<typeof listSignInViews>>[number]

export const listSignInViews = (reader: Reader, page: ListPage, filter: SignInViewFilter) =>
  signInsOf(reader, page.organizationId, filter, page.now)
    .select(['auth_logs.id', 'auth_logs.started_at', 'auth_logs.result', 'auth_logs.initial_status'])
    .select(['auth_logs.person_id', 'auth_logs.person_name', 'auth_logs.person_email'])
    .select(['auth_logs.device_id', 'auth_logs.device_name', 'auth_logs.ip_address'])
    .select(['auth_logs.country', 'auth_logs.city', 'auth_logs.browser_name', 'auth_logs.application_name'])
    .select('auth_logs.failure_reason')
    .$call(nextRows(newestFirst, page.after, page.limit))
    .execute()

export const countSignInViews = (reader: Reader, organizationId: string, filter: SignInViewFilter, now: string) =>
  signInsOf(reader, organizationId, filter, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()

export const presentSignInView = ({ started_at, city, country, ...row }: SignInRow): SignInView => ({
  ...row,
  timestamp: started_at,
  place: [city, country].filter((part) => part !== null).join(', ') || null,
})
