import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSoon, type Outcome } from '../../base/bodies/reading.ts'
import { parseInTurns } from '../../base/parse-in-turns.ts'
import { agentLimits } from '../../base/scan-json.ts'
import { type CompanionKey, findCompanionKey } from '../companion-keys/queries.ts'
import type { Answer } from '../protocol/answers.ts'
import { releaseWith } from '../protocol/bodies/release-with.ts'
import { refusalOf, refusals } from './companion-answers.ts'
import type { CompanionContext } from './companion-context.ts'
import { type Fields, fieldsOf, isBodyOf, isSigned, readSignature, type Signature } from './signed-request.ts'

export type NoncedAnswer = Answer & { nonce?: string }

/** The head of a request, signed for this server with a nonce that counts: by a key that is known, or by one that enrolls. */
type SignedHead = { signature: Signature } & (
  | { key: CompanionKey; noncedAt?: never }
  | { key?: never /** When the key was given its nonce. */; noncedAt: string }
)

declare module 'fastify' {
  interface FastifyRequest {
    companionHead: SignedHead | undefined
    companionBody: Outcome<Answer> | undefined
  }
}

/**
 * Lets requests in by their signed head, before anything of a body is kept. The body of a known key then has a share of memory
 * that strangers cannot take; that of a key which enrolls shares one with its network.
 */
export function gateCompanions(scope: FastifyInstance, context: CompanionContext): void {
  scope.decorateRequest('companionHead', undefined)
  scope.decorateRequest('companionBody', undefined)
  scope.addHook('onRequest', async (request, reply) => {
    const admitted = await admit(context, request)
    if (!('status' in admitted)) {
      request.companionHead = admitted
      return
    }
    endSoon(request.raw)
    return answerWith(reply, admitted)
  })
  scope.addHook('preValidation', (request, reply, done) => {
    if (request.companionBody?.kind === 'read') releaseWith(reply.raw, request.companionBody)
    done()
  })
  scope.removeAllContentTypeParsers()
  // A body is parsed once it is found to be the one that was signed for: until then it is bytes.
  scope.addContentTypeParser('application/json', (request, _payload, done) => {
    const { bodyLimit = 0 } = request.routeOptions
    const onReceived = (outcome: Outcome<Answer>) => {
      request.companionBody = outcome
      done(null, undefined)
    }
    const key = request.companionHead?.key
    if (key) context.bodies.fromCompanion(request, key.kid, bodyLimit, onReceived)
    else context.bodies.enrollment(request, bodyLimit, onReceived)
  })
}

/** What the head of a request says, where it is signed for this server with a nonce that counts; or why it is refused. */
async function admit(context: CompanionContext, request: FastifyRequest): Promise<SignedHead | NoncedAnswer> {
  const signature = await readSignature(request.headers['dpop'])
  if (!signature) return refusals.unreadable
  const found = await (request.routeOptions.config.isEnrollment ? admitEnrolling : admitKnown)(
    context,
    request,
    signature,
  )
  if ('status' in found) return found
  const path = request.routeOptions.url ?? ''
  if (await isSigned(signature, { path, hosts: hostsOf(context, request, found.key?.base_url) })) return found
  context.unknownKeys.spend(request.ip)
  return refusals.invalid
}

type Admitting = (
  context: CompanionContext,
  request: FastifyRequest,
  signature: Signature,
) => Promise<SignedHead | NoncedAnswer>

/** What strangers of its network have sent does not count: an enrollment is judged by its secret. */
const admitEnrolling: Admitting = async ({ enrollmentNonces }, _request, signature) => {
  const { kid, claims } = signature
  const noncedAt = enrollmentNonces.givenAt(kid, claims['nonce'])
  if (noncedAt === undefined) return { ...refusals.otherNonce, nonce: enrollmentNonces.give(kid) }
  return { signature, noncedAt }
}

const admitKnown: Admitting = async ({ db, knownKeys, unknownKeys }, { ip }, signature) => {
  const { kid, claims } = signature
  if (!knownKeys.get(kid) && unknownKeys.isSpent(ip)) return refusals.tooMany
  const key = await findCompanionKey(db, kid)
  if (!key) {
    unknownKeys.spend(ip)
    return refusals.unknownKey
  }
  // That is how each companion of an office begins its day.
  if (claims['nonce'] !== key.nonce) return { ...refusals.otherNonce, nonce: key.nonce }
  return { signature, key }
}

/** A request with the fields of the body that it was signed for; or why it is refused. */
export async function readSigned(
  context: CompanionContext,
  request: FastifyRequest,
): Promise<(SignedHead & { fields: Fields }) | Answer> {
  const { companionHead: head, companionBody: body, ip } = request
  if (body?.kind === 'refused') return refusalOf(body.why.status)
  const bytes = body?.kind === 'read' ? body.bytes : Buffer.alloc(0)
  if (!head || !isBodyOf(head.signature, bytes)) {
    context.unknownKeys.spend(ip)
    return refusals.invalid
  }
  const parsed = await parseInTurns(bytes, agentLimits)
  return { ...head, fields: fieldsOf('ok' in parsed ? parsed.ok : undefined) }
}

/** The hosts that this server is known by. */
export const hostsOf = (
  { baseUrl }: CompanionContext,
  { host }: FastifyRequest,
  ownBaseUrl: string | null = null,
): string[] => [host, new URL(ownBaseUrl ?? baseUrl).host]

export function answerWith(reply: FastifyReply, { status, text, nonce }: NoncedAnswer): FastifyReply {
  // RFC 9449 §9: what the next request has to carry.
  if (nonce !== undefined) reply.header('dpop-nonce', nonce)
  if (text === refusals.otherNonce.text) reply.header('www-authenticate', 'DPoP error="use_dpop_nonce"')
  return reply.code(status).header('content-type', 'application/json').header('cache-control', 'no-store').send(text)
}
