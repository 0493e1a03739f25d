import { randomBytes } from 'node:crypto'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../base/errors.ts'
import { networkOf } from '../../base/network-of.ts'
import { isRecordId } from '../../http/record-id.ts'
import { occasionOf } from '../../http/request-source.ts'
import { wholeText } from '../../http/whole-body.ts'
import { findConnectionById } from '../connections/connection-queries.ts'
import { entraSettingsOf } from '../connections/entra-change.ts'
import { entraPath } from '../connections/entra-rules.ts'
import { type Admitted, admitRequest, type EntraRefusal } from '../entra/admit-request.ts'
import { presentDiscovery } from '../entra/present-discovery.ts'
import { markOfSigned } from '../oidc/mark-of-request.ts'
import { beginSession } from '../sessions/begin-session.ts'
import { hashOf } from '../sessions/session-codes.ts'
import { entraFinishRoutes, sendAnswer } from './entra-finish-routes.ts'
import { refusedWords, unknownWords } from './entra-words.ts'
import { signIns } from './sign-in-scheme.ts'
import type { VisitContext } from './visit-context.ts'
import { cookieOf, type Pages } from './visit-routes.ts'

const config = { scheme: signIns, kind: 'foreign', origin: 'any', isChatty: true } as const

/** With the hint and the state, which Entra makes as long as it likes. */
const maxFormBytes = 64 * 1024
/** All connections are counted as one: anyone may name any number of them. */
const formOfEntra = 'form of Entra'
const open = { 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' }

/** What Microsoft Entra asks as an external authentication method: metadata, keys, and one form. */
export function entraRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  scope.removeAllContentTypeParsers()
  // Names that come twice are told apart later.
  const form = wholeText((text) => new URLSearchParams(text), maxFormBytes)
  scope.addContentTypeParser('application/x-www-form-urlencoded', form)
  scope.get(`${entraPath}/:connection/.well-known/openid-configuration`, { config }, async (request, reply) => {
    const found = await connectionOf(context, request)
    return reply.headers(open).send(presentDiscovery(found.place.baseUrl, found.connection.id))
  })
  scope.get(`${entraPath}/:connection/jwks`, { config }, async (request, reply) => {
    const found = await connectionOf(context, request)
    const ring = { organizationId: found.place.organizationId, purpose: 'entra' } as const
    return reply.headers(open).send({ keys: await context.signingKeys.published(ring, context.now()) })
  })
  scope.post(`${entraPath}/:connection/authorize`, { config, bodyLimit: maxFormBytes }, (request, reply) =>
    arrive(context, pages, request, reply),
  )
  entraFinishRoutes(scope, context, pages)
}

/** Of the set-up, and not of the person or of a mode that was chosen. */
const keptRefusals: Readonly<Partial<Record<EntraRefusal, RequestRefusal>>> = {
  not_ours: 'entra_request',
  invalid_hint: 'entra_hint',
  no_claims: 'entra_claims',
  keys_unavailable: 'entra_keys',
}

/** The connection that an address is of. Fails with not_found for any other than one of Entra. */
async function connectionOf({ db, placeOf }: VisitContext, request: FastifyRequest) {
  const place = await placeOf(request.host)
  const { connection: id } = request.params as { connection: string }
  const isNamed = place !== undefined && isRecordId(id)
  const connection = isNamed ? await findConnectionById(db, place.organizationId, id) : undefined
  const settings = connection && entraSettingsOf(connection)
  return place && connection && settings ? { place, connection, settings } : fail('not_found')
}

/** A form of Entra has arrived, without cookies: it becomes a sign-in with a page and a cookie of its own. */
async function arrive(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  if (!context.mayArrive({ clientId: formOfEntra, address: request.ip, isSigned: true })) {
    return pages.tooMany(reply, undefined)
  }
  const found = await connectionOf(context, request)
  const { place, connection } = found
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const admitted = await admitRequest(context.findTenantKey, found, form, context.now())
  if ('refusal' in admitted) {
    const { cause, asked } = admitted
    if (cause) context.warn({ err: cause, clientRequestId: asked?.requestId }, 'The keys of Microsoft cannot be read')
    context.refused.note(connection.client_id, 'unknown')
    const reason = keptRefusals[admitted.refusal]
    if (reason) await context.noteRefusal(connection, reason)
    return answerRefused(reply, pages, admitted)
  }
  const { asked, person, chosen } = admitted
  const begun = await beginSession(
    context.db,
    {
      interactionUid: randomBytes(16).toString('hex'),
      connection,
      subject: person.username,
      subjectId: person.oid,
      requestMarks: [Buffer.from(hashOf(`nonce ${asked.nonce}`), 'hex'), markOfSigned('hint', asked.hint)],
      network: networkOf(request.ip),
      ipAddress: request.ip,
      userAgent: String(request.headers['user-agent'] ?? ''),
      entra: {
        subjectIssuer: person.issuer,
        request: {
          ...{ redirect_uri: asked.redirectUri, state: asked.state, nonce: asked.nonce, sub: person.sub },
          ...{ ...chosen, request_id: asked.requestId },
        },
      },
    },
    occasionOf(request, context.now()),
  )
  if (typeof begun === 'string') context.refused.note(connection.client_id, begun)
  if (begun === 'too_many')
    return pages.tooMany(reply, { applicationName: connection.name, startUrl: connection.start_url })
  if (begun === 'replayed') {
    return pages.fault(reply, 400, 'Start from the app again', 'This request has begun a sign-in before.')
  }
  reply.header('set-cookie', cookieOf(place.baseUrl, begun.id).give(begun.secret))
  return reply.redirect(`/signin/${begun.id}`, 303)
}

/** Says why a request begins no sign-in, and tells Entra where it is known to have asked. */
function answerRefused(
  reply: FastifyReply,
  pages: Pages,
  { refusal, asked }: Extract<Admitted, { refusal: EntraRefusal }>,
): FastifyReply {
  if (refusal === 'not_ours' || refusal === 'invalid_hint' || !asked) {
    const { title, text } = unknownWords[refusal === 'invalid_hint' ? refusal : 'not_ours']
    return pages.fault(reply, 400, title, text)
  }
  const error = refusal === 'keys_unavailable' ? 'temporarily_unavailable' : 'access_denied'
  return sendAnswer(reply, pages, asked, { error }, refusedWords[refusal])
}
