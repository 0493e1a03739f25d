import type { KeyPurpose } from '../../base/db/schema.ts'
import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'

/**
 * `issuer` is the `iss` of tokens, `baseUrl` what addresses of the stream begin with: the same unless the issuer is a
 * path (SSF 1.0 §7.2), since only its metadata are below that.
 */
export type StreamIssuer = { issuer: string; baseUrl: string; jwksUri: string }

/** `stored` is as a row has it: '' or a path of MUSTER_BASE_URL, which is `baseUrl`, or an origin of its own. */
export function streamIssuer(stored: string, baseUrl: string): StreamIssuer {
  if (stored.startsWith('/')) {
    const issuer = baseUrl + stored
    return { issuer, baseUrl, jwksUri: `${issuer}/jwks.json` }
  }
  const issuer = stored || baseUrl
  return { issuer, baseUrl: issuer, jwksUri: `${issuer}/ssf/jwks.json` }
}

export const pathIssuer = (organizationId: string): string => `/ssf/${organizationId}`

/** The issuer, as it is stored, and the keys of new streams of an organization; undefined where it may make none. */
export async function findIssuer(
  reader: Reader,
  organizationId: string,
  { pathIssuers }: { pathIssuers: boolean },
): Promise<{ issuer: string; purpose: KeyPurpose } | undefined> {
  const organization = await reader
    .selectFrom('organizations')
    .select(['base_url', (build) => build.selectFrom('organizations').select(build.fn.min('id').as('id')).as('first')])
    .where('id', '=', organizationId)
    .executeTakeFirst()
  const { base_url: own, first } = orNotFound(organization)
  if (own !== null) return { issuer: own, purpose: 'signals' }
  if (first === organizationId) return { issuer: '', purpose: 'signals' }
  return pathIssuers ? { issuer: pathIssuer(organizationId), purpose: 'signals' } : undefined
}

/** The same; fails with invalid, and says what the operator has to do. */
export async function getIssuer(reader: Reader, organizationId: string, settings: { pathIssuers: boolean }) {
  const message = `This organization has no base address of its own, by which receivers could tell its events from those of other organizations. The operator of the service gives it one: muster organizations set-base-url https://… --organization ${organizationId}, or sets MUSTER_SSF_PATH_ISSUERS=true.`
  return (await findIssuer(reader, organizationId, settings)) ?? fail('invalid', { message })
}

/** Whether the path issuer of an organization is allowed, or streams have it from when it was. */
export async function isPathIssuerServed(
  reader: Reader,
  organizationId: string,
  { pathIssuers }: { pathIssuers: boolean },
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
            .where((inner) => inner.or([inner('issuer', '=', path), inner('former_issuer', '=', path)])),
        ),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}
