import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findConnection, type SignInConnection } from '../connections/connection-queries.ts'
import { endSessionPath } from '../connections/sign-in-address.ts'
import { clientOfHint } from '../oidc/client-of-hint.ts'
import { signedOutPath } from '../upstreams/open-upstreams.ts'
import { signOutAddress } from '../upstreams/sign-out-address.ts'
import { findUpstream, type Upstream } from '../upstreams/upstream-queries.ts'
import { wordsOfError } from './error-words.ts'
import { isForm } from './form-routes.ts'
import { signIns } from './sign-in-scheme.ts'
import { notLedBack, notNamed, signedOut, signedOutOfBoth, signOutFault } from './sign-out-words.ts'
import { addressBack, type KeptSignOut, readSigningOut, type SigningOut, signingOutMarks } from './signing-out.ts'
import type { Place, VisitContext } from './visit-context.ts'
import type { Pages } from './visit-routes.ts'

const page = { scheme: signIns, kind: 'page', origin: 'navigation', isChatty: true } as const
const form = { scheme: signIns, kind: 'foreign', origin: 'any', isChatty: true } as const
const bodyLimit = 56 * 1024

/**
 * Signing out (OpenID Connect RP-Initiated Logout 1.0). Muster keeps no session of its own: it signs people out at the upstream,
 * where an administrator has said that this leads back here, and leads them back to the application.
 */
export function signOutRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  scope.get(endSessionPath, { config: page }, (request, reply) =>
    signOut(context, pages, request, reply, queryOf(request)),
  )
  scope.post(endSessionPath, { config: form, bodyLimit }, (request, reply) =>
    isForm(request)
      ? signOut(context, pages, request, reply, String(request.body ?? ''))
      : pages.message(reply, 415, signOutFault),
  )
  scope.get(signedOutPath, { config: page }, (request, reply) => comeBack(context, pages, request, reply))
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

async function signOut(
  context: VisitContext,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  query: string,
) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  if (!context.maySignOut(request.ip)) {
    return pages.fault(reply.header('retry-after', '60'), 429, ...wordsOfError('rate_limited', 429, false))
  }
  const asked = readSigningOut(new URLSearchParams(query))
  const found = asked && (await findAsking(context, place, asked))
  if (!asked || !found) return pages.message(reply, 400, signOutFault)
  if (found === 'unnamed') return pages.message(reply, 200, notNamed)
  const { connection, upstream } = found
  const { returnTo, state } = asked
  if (returnTo !== undefined && !connection.post_logout_redirect_uris.includes(returnTo)) {
    await context.noteRefusal(connection, 'post_logout_redirect_uri')
    return pages.message(reply, 400, notLedBack(connection, upstream))
  }
  const mark = { clientId: connection.client_id, returnTo, state }
  const away = upstream?.signs_out ? awayTo(context, place, upstream, mark) : undefined
  if (away !== undefined) return reply.redirect(away, 303)
  if (returnTo !== undefined) return reply.redirect(addressBack(returnTo, state), 303)
  return pages.message(reply, 200, signedOut(connection, upstream))
}

function awayTo({ secrets }: VisitContext, { organizationId, baseUrl }: Place, upstream: Upstream, kept: KeptSignOut) {
  const state = signingOutMarks(secrets, organizationId).write(kept)
  return signOutAddress(upstream, { returnTo: `${baseUrl}${signedOutPath}`, state })
}

type Found = { connection: SignInConnection; upstream: Upstream | undefined }

/** Who asks: the client that the hint was made for, or that names itself. Undefined for a hint of nobody, or of another client. */
async function findAsking(
  { db }: VisitContext,
  { organizationId }: Place,
  { hint, clientId: named }: SigningOut,
): Promise<Found | 'unnamed' | undefined> {
  const hinted = hint === undefined ? named : await clientOfHint(db, organizationId, hint)
  if (hint === undefined && named === undefined) return 'unnamed'
  if (hinted === undefined || (named !== undefined && named !== hinted)) return undefined
  const connection = await findConnection(db, organizationId, hinted)
  return connection && { connection, upstream: await upstreamOf(db, connection) }
}

const upstreamOf = async (
  db: VisitContext['db'],
  { organization_id: organizationId, upstream_id: id }: SignInConnection,
): Promise<Upstream | undefined> => (id === null ? undefined : findUpstream(db, organizationId, id))

/** The upstream has signed the person out, and leads back with our state. */
async function comeBack(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const mark = new URLSearchParams(queryOf(request)).get('state') ?? ''
  const kept = signingOutMarks(context.secrets, place.organizationId).read(mark)
  const connection = kept && (await findConnection(context.db, place.organizationId, kept.clientId))
  if (!connection) return pages.message(reply, 400, signOutFault)
  const { returnTo, state } = kept
  // It may have been taken away meanwhile.
  if (returnTo !== undefined && connection.post_logout_redirect_uris.includes(returnTo)) {
    return reply.redirect(addressBack(returnTo, state), 303)
  }
  const upstream = await upstreamOf(context.db, connection)
  return pages.message(reply, 200, signedOutOfBoth(connection, upstream))
}
