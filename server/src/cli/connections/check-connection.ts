import type { SignInReadiness } from '@muster/contract/console-sign-in.ts'
import { isRefusalStanding } from '@muster/contract/request-refusals.ts'
import type { Reader } from '../../base/db/transact.ts'
import { readCallerClock } from '../../sign-in/connections/caller-clock.ts'
import { type ConnectionFigures, noFigures, readFigures } from '../../sign-in/connections/connection-figures.ts'
import type { SignInConnection } from '../../sign-in/connections/connection-queries.ts'
import { faultOfRedirect } from '../../sign-in/connections/connection-rules.ts'
import { issuerOf } from '../../sign-in/connections/present-connection.ts'
import { readKeysAt } from '../../sign-in/connections/read-keys-at.ts'
import { algorithmOfKeys, readRequestKeys } from '../../sign-in/connections/read-request-keys.ts'
import { readReadiness } from '../../sign-in/connections/readiness-queries.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { upstreamEgress } from '../../sign-in/egress/upstream-egress.ts'
import { readMetadata } from '../../sign-in/upstreams/read-metadata.ts'
import { findUpstream } from '../../sign-in/upstreams/upstream-queries.ts'
import type { CommandContext } from '../data-command.ts'
import { type Finding, failed, judge, ok, warning } from '../doctor/finding.ts'
import { plainText } from '../table.ts'
import { checkIssuer } from './check-issuer.ts'
import { describeRefusal } from './describe-connection.ts'
import { describeRefused } from './describe-refused.ts'
import { judgeClock } from './judge-clock.ts'

/** Whether people can get through a connection now. It changes nothing. */
export async function checkConnection(
  { connection: { db }, config, now }: CommandContext,
  row: SignInConnection,
): Promise<Finding[]> {
  const { id: connectionId, organization_id: organizationId, kind } = row
  const figures = (await readFigures(db, organizationId, now)).get(connectionId) ?? noFigures
  const address = await judge('address', async () => {
    return [ok('address', await requireSignInAddress(db, organizationId, config.baseUrl))]
  })
  const isThere = address.every(({ state }) => state === 'ok')
  const issuer = issuerOf({ ...row, address: address[0]?.detail })
  const purpose = kind === 'entra' ? 'entra' : 'oidc'
  const asked = { organizationId, purpose, issuer: issuer ?? '', now } as const
  const aheadMs = await readCallerClock(db, { organizationId, connectionId })
  const readiness = await readReadiness(db, { organizationId, connectionId, now })
  return [
    ...address,
    ...(isThere ? await judge('discovery', () => checkIssuer(db, asked)) : []),
    ...judgeRedirects(row),
    ...judgeKeys(row),
    ...(row.request_keys_url === null ? [] : await judge('published keys', () => judgePublished(config, row))),
    ...(row.upstream_id === null ? [] : await judge('upstream', () => judgeUpstream(db, config, row))),
    judgeMode(row, now),
    judgePeople(readiness, row, now),
    judgeLast(figures.last_sign_in_at),
    ...(aheadMs === undefined ? [] : [judgeClock(aheadMs)]),
    ...judgeRefusal(row, figures),
  ]
}

const isPaused = ({ paused_until: until }: SignInConnection, now: string): boolean => until !== null && until > now

/** Addresses may have been stored before they were judged. */
const judgeRedirects = ({ kind, redirect_uris: addresses }: SignInConnection): Finding[] =>
  (kind === 'entra' ? [] : addresses)
    .map(faultOfRedirect)
    .filter((fault) => fault !== undefined)
    .map((fault) => warning('redirect address', plainText(fault)))

/** Keys that were stored once may be none that requests are accepted with now. */
function judgeKeys({ kind, request_keys: stored, request_algorithm: pinned }: SignInConnection): Finding[] {
  if (kind === 'entra') return []
  const name = 'request keys'
  if (stored === null) {
    if (kind === 'second_step') return [failed(name, 'there are none: give the keys that sign its requests')]
    return [ok(name, 'none: requests need no signature, the upstream says who signs in')]
  }
  const keys = readRequestKeys({ keys: stored })
  if (!keys || algorithmOfKeys(keys) !== pinned) {
    return [failed(name, `they cannot be used by ${pinned}: give the keys that sign its requests again`)]
  }
  return [ok(name, `${keys.length} by ${pinned}`)]
}

/** Keys that cannot be read again stay in use. */
async function judgePublished(config: CommandContext['config'], row: SignInConnection): Promise<Finding[]> {
  const { request_keys_url: url, request_algorithm: algorithm } = row
  if (url === null) return []
  const keys = await readKeysAt(upstreamEgress(config), url, algorithm)
  return [ok('published keys', `${keys.length} at ${plainText(url)}`)]
}

/** Whether what signs its people in answers. Its client secret is seen at a sign-in alone: the console tests that. */
async function judgeUpstream(
  db: Reader,
  config: CommandContext['config'],
  { organization_id: organizationId, upstream_id: id }: SignInConnection,
): Promise<Finding[]> {
  const upstream = id === null ? undefined : await findUpstream(db, organizationId, id)
  if (!upstream) return [failed('upstream', 'there is none')]
  const { provider, issuer, client_id: clientId, name } = upstream
  await readMetadata(upstreamEgress(config), { provider, issuer, clientId, clientSecret: '' })
  return [ok('upstream', `${plainText(name)} answers at ${issuer}`)]
}

function judgeMode(row: SignInConnection, now: string): Finding {
  const { id, mode, paused_until: until, pause_reason: reason } = row
  if (mode === 'disabled') return failed('mode', `disabled, it refuses everyone: muster connections enforce ${id}`)
  if (mode === 'observe') return warning('mode', 'observe, it refuses no device of a known person')
  if (!isPaused(row, now)) return ok('mode', 'enforce')
  return warning('mode', `paused until ${until}, it refuses no device of a known person: ${plainText(reason ?? '')}`)
}

/** Whom it refuses now, or would. */
function judgePeople(readiness: SignInReadiness, row: SignInConnection, now: string): Finding {
  const { people_count: all, refused_count: refused } = readiness
  const isEnforced = row.mode === 'enforce' && !isPaused(row, now)
  const condition = row.mode === 'enforce' ? 'if it were not paused' : 'if it enforces'
  const verb = refused < 2 ? 'is' : 'are'
  const what = isEnforced ? `${verb} refused today` : `would be refused today ${condition}`
  const name = 'people'
  if (all === 0) return failed(name, 'there are none: add them with muster people add, or with SCIM')
  if (refused === 0) return ok(name, `none of ${all} ${what}`)
  const state = isEnforced && refused === all ? failed : warning
  return state(name, `${refused} of ${all} ${what}: ${describeRefused(readiness).join(', ')}`)
}

/** A request that was refused, where nobody has got in since. */
function judgeRefusal(row: SignInConnection, figures: ConnectionFigures): Finding[] {
  const { last_refusal: refusal } = figures
  if (!refusal || !isRefusalStanding(figures)) return []
  const { id, kind, sealed_client_secret: sealed } = row
  return [warning('last refusal', describeRefusal({ id, kind, is_public: sealed === null }, refusal))]
}

const judgeLast = (last: string | null): Finding =>
  last === null ? warning('last sign-in', 'nobody got in within 30 days') : ok('last sign-in', last)
