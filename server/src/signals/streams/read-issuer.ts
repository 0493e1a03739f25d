import type { SsfStreamIssuer } from '@muster/contract/ssf-issuers.ts'
import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { keyTimes, listKeysOfStream } from '../../keys/signing-keys.ts'
import { recordAudience } from './audience.ts'
import { movedAudience } from './move-stream.ts'
import type { Stream } from './queries.ts'
import { findIssuer, streamIssuer } from './stream-issuer.ts'

type Place = { baseUrl: string; pathIssuers: boolean; now: string }

/** What the receiver of a stream is set up with: now, before the latest move, and after the next. */
export async function readIssuer(reader: Reader, stream: Stream, place: Place): Promise<SsfStreamIssuer> {
  const { baseUrl, pathIssuers, now } = place
  const next = await findIssuer(reader, stream.organization_id, { pathIssuers })
  const isMoved = next?.issuer === stream.issuer && next.purpose === stream.signing_purpose
  const keptUntil = stream.moved_at === null ? null : plusMs(stream.moved_at, keyTimes.signals.keptMs)
  const isKept = keptUntil !== null && keptUntil > now && stream.former_issuer !== null
  return {
    present: settingsOf(stream, stream.issuer, baseUrl),
    next: next && !isMoved ? settingsOf(stream, next.issuer, baseUrl) : null,
    former: isKept ? { ...settingsOf(stream, stream.former_issuer ?? '', baseUrl), verified_until: keptUntil } : null,
    has_shared_key: stream.signing_purpose === 'shared_signals',
    keys: await listKeysOfStream(reader, stream, now),
  }
}

function settingsOf(stream: Stream, stored: string, commonBaseUrl: string) {
  const present = streamIssuer(stream.issuer, commonBaseUrl)
  const { issuer, baseUrl, jwksUri } = streamIssuer(stored, commonBaseUrl)
  const audience = movedAudience(stream, present.baseUrl, baseUrl)
  return { iss: issuer, jwks_uri: jwksUri, aud: recordAudience({ ...stream, audience }, baseUrl) }
}
