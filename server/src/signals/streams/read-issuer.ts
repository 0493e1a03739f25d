import type { SsfStreamIssuer } from '@muster/contract/ssf-issuers.ts'
import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { keyPurposes } from '../../keys/key-purposes.ts'
import { publishedSet } from '../../keys/signing-keys.ts'
import { recordAudience } from './audience.ts'
import { movedAudience } from './move-stream.ts'
import { findFormerSettings, type Stream } from './queries.ts'
import { findIssuer, streamIssuer } from './stream-issuer.ts'

type Place = { baseUrl: string; pathIssuers: boolean; now: string }

/** What the receiver of a stream is set up with: now, before the latest move, and after the next. */
export async function readIssuer(reader: Reader, stream: Stream, place: Place): Promise<SsfStreamIssuer> {
  const { baseUrl, pathIssuers, now } = place
  const next = await findIssuer(reader, stream.organization_id, { pathIssuers })
  const keptUntil = stream.moved_at === null ? null : plusMs(stream.moved_at, keyPurposes.signals.keptMs)
  const isKept = keptUntil !== null && keptUntil > now
  const former = isKept ? await findFormerSettings(reader, stream) : undefined
  return {
    present: settingsOf(stream, stream.issuer, baseUrl),
    next: next === undefined || next === stream.issuer ? null : settingsOf(stream, next, baseUrl),
    former: former && keptUntil !== null ? { ...formerOf(stream, former, baseUrl), verified_until: keptUntil } : null,
    keys: await publishedSet(reader, { organizationId: stream.organization_id, purpose: 'signals' }, now),
  }
}

function settingsOf(stream: Stream, stored: string, commonBaseUrl: string) {
  const present = streamIssuer(stream.issuer, commonBaseUrl)
  const { issuer, baseUrl, jwksUri } = streamIssuer(stored, commonBaseUrl)
  const audience = movedAudience(stream, present.baseUrl, baseUrl)
  return { iss: issuer, jwks_uri: jwksUri, aud: recordAudience({ ...stream, audience }, baseUrl) }
}

function formerOf(stream: Stream, { issuer, audience }: { issuer: string; audience: string }, commonBaseUrl: string) {
  const { baseUrl, jwksUri } = streamIssuer(issuer, commonBaseUrl)
  return { iss: issuer, jwks_uri: jwksUri, aud: recordAudience(stream, baseUrl) === null ? null : audience }
}
