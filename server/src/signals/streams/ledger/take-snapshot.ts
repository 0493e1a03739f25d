import { pageOf } from '../../../base/lists/keyset.ts'
import { audienceOf } from '../audience.ts'
import { draftSubject, subjectOf } from '../build-claims.ts'
import type { Issuer } from '../issue-tokens.ts'
import type { Stream } from '../queries.ts'
import { streamIssuer } from '../stream-issuer.ts'
import { type DeviceStatus, digestBlocked, readStatuses } from './read-statuses.ts'

/** What every token says that is about the whole of a stream rather than one event. */
function claimsAbout(common: Issuer, stream: Stream, now: string) {
  const { issuer, baseUrl } = streamIssuer(stream.issuer, common.baseUrl)
  const iat = Math.floor(Date.parse(now) / 1_000)
  return { iss: issuer, aud: audienceOf(stream, baseUrl), iat, stream_id: stream.stream_id }
}

/** Signed with the key as it is now: nothing of this is kept, to be taken back when a key is withdrawn. */
async function sign({ signer }: Issuer, stream: Stream, type: string, claims: object, now: string): Promise<string> {
  const ring = { organizationId: stream.organization_id, purpose: 'signals' } as const
  return (await signer.sign(ring, claims, now, { type, isFresh: true })).token
}

export type SnapshotPage = {
  sequence: number
  token: string
  statuses: DeviceStatus[]
  /** The address of the next page; undefined on the last one. */
  next: { cursor: string; url: string } | undefined
}

type Asked = {
  stream: Stream
  /** The last device of the page before. */
  after: string | undefined
  perPage: number
  /** Names the page that begins after a device. */
  pageAfter: (deviceId: string) => { cursor: string; url: string }
}

/** A page of where devices stand, signed. Undefined when the stream is gone. */
export async function takeSnapshot(issuer: Issuer, asked: Asked): Promise<SnapshotPage | undefined> {
  const { stream, after, perPage, pageAfter } = asked
  const key = { organizationId: stream.organization_id, streamId: stream.id }
  const read = await readStatuses(issuer.db, key, { after, limit: perPage + 1 })
  if (!read) return undefined
  const { rows: statuses, hasMore } = pageOf(read.statuses, perPage)
  const last = statuses.at(-1)
  const next = hasMore && last ? pageAfter(last.deviceId) : undefined
  const sequence = Number(read.sequence)
  const now = issuer.clock()
  const claims = {
    ...claimsAbout(issuer, stream, now),
    sequence,
    devices: statuses.map((status) => describe(status, stream, streamIssuer(stream.issuer, issuer.baseUrl).issuer)),
    ...(next && { next: next.url }),
  }
  return { sequence, token: await sign(issuer, stream, 'muster-snapshot+jwt', claims, now), statuses, next }
}

/** A device as the events of the stream name it. */
function describe({ deviceId, userEmail, status }: DeviceStatus, stream: Stream, issuer: string) {
  const facts = { deviceId, userEmail, organizationId: stream.organization_id }
  return stream.spec_version === 'draft'
    ? { subject: draftSubject(facts), current_status: status }
    : { sub_id: subjectOf(facts, stream.device_subject_format, issuer), current_status: status }
}

/** Every page after the other, each as a line, one in memory at a time. What is sent ends early when the stream goes. */
export async function* snapshotLines(issuer: Issuer, asked: Asked): AsyncGenerator<string> {
  for (let { after } = asked; ; ) {
    const page = await takeSnapshot(issuer, { ...asked, after })
    if (!page) throw new Error('The stream was deleted')
    yield `${page.token}\n`
    if (!page.next) return
    after = page.statuses.at(-1)?.deviceId
  }
}

/** A proof of which devices are not compliant, signed. Undefined when the stream is gone. */
export async function takeCheckpoint(issuer: Issuer, stream: Stream) {
  const key = { organizationId: stream.organization_id, streamId: stream.id }
  const read = await digestBlocked(issuer.db, key)
  if (!read) return undefined
  const now = issuer.clock()
  const facts = {
    sequence: Number(read.sequence),
    digest: read.digest,
    blocked_devices_count: Number(read.count),
    settled: read.is_settled,
  }
  const claims = { ...claimsAbout(issuer, stream, now), ...facts }
  return { ...facts, at: now, token: await sign(issuer, stream, 'muster-checkpoint+jwt', claims, now) }
}
