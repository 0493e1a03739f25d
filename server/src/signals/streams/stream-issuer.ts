import { type SqlBool, sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { keyPurposes } from '../../keys/key-purposes.ts'

/**
 * `issuer` is the `iss` of tokens, `baseUrl` what addresses of the stream begin with: the same unless the issuer is a
 * path (SSF 1.0 §7.2), since only its metadata are below that.
 */
export type StreamIssuer = { issuer: string; baseUrl: string; jwksUri: string }

/**
 * `stored` is as a stream has it: '' or a path of MUSTER_BASE_URL, which is `commonBaseUrl`, or an origin of its own; or
 * whole, as token settings have it.
 */
export function streamIssuer(stored: string, commonBaseUrl: string): StreamIssuer {
  const issuer = stored === '' || stored.startsWith('/') ? commonBaseUrl + stored : stored
  const baseUrl = issuer.replace(/\/ssf\/\d+$/, '')
  return { issuer, baseUrl, jwksUri: baseUrl === issuer ? `${issuer}/ssf/jwks.json` : `${issuer}/jwks.json` }
}

export const pathIssuer = (organizationId: string): string => `/ssf/${organizationId}`

/** The issuer of new streams of an organization, as it is stored; undefined where it may make none. */
export async function findIssuer(
  reader: Reader,
  organizationId: string,
  { pathIssuers }: { pathIssuers: boolean },
): Promise<string | undefined> {
  const organization = await reader
    .selectFrom('organizations')
    .select(['base_url', (build) => build.selectFrom('organizations').select(build.fn.min('id').as('id')).as('first')])
    .where('id', '=', organizationId)
    .executeTakeFirst()
  const { base_url: own, first } = orNotFound(organization)
  if (own !== null) return own
  if (first === organizationId) return ''
  return pathIssuers ? pathIssuer(organizationId) : undefined
}

/** The same; fails with invalid, and says what the operator has to do. */
export async function getIssuer(reader: Reader, organizationId: string, settings: { pathIssuers: boolean }) {
  const message = `This organization has no base address of its own, by which receivers could tell its events from those of other organizations. The operator of the service gives it one: muster organizations set-base-url https://… --organization ${organizationId}, or sets MUSTER_SSF_PATH_ISSUERS=true.`
  return (await findIssuer(reader, organizationId, settings)) ?? fail('invalid', { message })
}

/** Whether the path issuer of an organization is allowed, or streams have it, or had it so recently that tokens may wait. */
export async function isPathIssuerServed(
  reader: Reader,
  organizationId: string,
  { pathIssuers, now }: { pathIssuers: boolean; now: string },
): Promise<boolean> {
  const path = pathIssuer(organizationId)
  const row = await reader
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where((build) =>
      build.or([
        build.and([
          build.lit(pathIssuers),
          build('base_url', 'is', null),
          build('id', '<>', build.selectFrom('organizations').select(build.fn.min('id').as('id'))),
        ]),
        build.exists(
          build
            .selectFrom('ssf_streams')
            .select('ssf_streams.id')
            .whereRef('ssf_streams.organization_id', '=', 'organizations.id')
            .where('deleted_at', 'is', null)
            .where((inner) => inner.or([inner('issuer', '=', path), hadIssuer(path, now)])),
        ),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

/** Settings have the issuer behind the base address of then. */
const hadIssuer = (path: string, now: string) => sql<SqlBool>`(
  ssf_streams.moved_at > ${plusMs(now, -keyPurposes.signals.keptMs)}::timestamptz and exists (
    select from ssf_token_settings as settings
    where settings.organization_id = ssf_streams.organization_id and settings.stream_id = ssf_streams.id
      and right(settings.issuer, length(${path}::text)) = ${path}::text
  ))`
