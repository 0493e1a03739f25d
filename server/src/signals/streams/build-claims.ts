import { typeOf } from './event-types.ts'

export type SignalKind = keyof typeof typeOf

/** What is said; `event` is the members of the event itself. */
export type SignalFacts = {
  kind: SignalKind
  organizationId: string
  deviceId: string | null
  userEmail: string | null
  event: Record<string, unknown>
  txn: string
}

export type StreamFacts = {
  streamId: string
  specVersion: 'v1_0' | 'draft'
  deviceSubjectFormat: 'iss_sub' | 'opaque'
  audience: string
}

const isAboutStream = (kind: SignalKind): boolean => kind === 'verification' || kind === 'stream_updated'

/**
 * The claims of a security event token (RFC 8417 §2.2): one event, no `sub`, no `exp`. `issuedAtMs` is floored to the
 * second, so that a receiver whose clock agrees never sees the future. In `v1_0` the subject is the claim `sub_id`
 * (SSF 1.0 §4, RFC 9493), in `draft` the member `subject` of the event.
 */
export function claimsOf(
  signal: SignalFacts,
  stream: StreamFacts,
  { issuer, jti, issuedAtMs }: { issuer: string; jti: string; issuedAtMs: number },
): Record<string, unknown> {
  const { kind, txn, event } = signal
  const isDraft = stream.specVersion === 'draft'
  const subject = isAboutStream(kind)
    ? { format: 'opaque', id: stream.streamId }
    : isDraft
      ? draftSubject(signal)
      : subjectOf(signal, stream.deviceSubjectFormat, issuer)
  return {
    iss: issuer,
    jti,
    iat: Math.floor(issuedAtMs / 1_000),
    aud: stream.audience,
    txn,
    ...(!isDraft && { sub_id: subject }),
    events: { [typeOf[kind]]: isDraft ? { subject, ...event } : event },
  }
}

type SubjectFacts = Pick<SignalFacts, 'userEmail' | 'deviceId' | 'organizationId'>

/** A complex subject (RFC 9493 leaves it to SSF 1.0 §3): the person, their device, the organization. */
export const subjectOf = (
  { userEmail, deviceId, organizationId }: SubjectFacts,
  deviceFormat: StreamFacts['deviceSubjectFormat'],
  issuer: string,
) => ({
  format: 'complex',
  ...(userEmail !== null && { user: { format: 'email', email: userEmail } }),
  ...(deviceId !== null && {
    device:
      deviceFormat === 'opaque'
        ? { format: 'opaque', id: deviceId }
        : { format: 'iss_sub', iss: issuer, sub: deviceId },
  }),
  tenant: { format: 'opaque', id: organizationId },
})

export const draftSubject = ({ userEmail, deviceId }: SubjectFacts) => ({
  ...(userEmail !== null && { user: { format: 'email', email: userEmail } }),
  ...(deviceId !== null && { device: { format: 'opaque', id: deviceId } }),
})
