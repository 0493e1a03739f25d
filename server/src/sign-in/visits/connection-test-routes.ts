import { randomUUID } from 'node:crypto'
import type { SignInTest } from '@muster/contract/console-sign-in.ts'
import { signInOperations } from '@muster/contract/operations/console-sign-in.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { networkOf } from '../../base/network-of.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { findConnectionById } from '../connections/connection-queries.ts'
import { requireSignInAddress } from '../connections/sign-in-address.ts'
import { beginSession } from '../sessions/begin-session.ts'
import { cookieOf } from './visit-routes.ts'

/** Tests of connections by administrators, in the browser in which they use the console. */
export function connectionTestRoutes(scope: FastifyInstance): void {
  const { db, config } = scope.kit
  sessionRoute(scope, {
    ...signInOperations.testSignInConnection,
    run: async (call): Promise<SignInTest> => {
      const { context, reply } = call
      const { organizationId } = context
      const connection = orNotFound(await findConnectionById(db, organizationId, recordIdOf(call)))
      if (connection.upstream_id === null) {
        fail('invalid', { message: 'Only the caller of this connection can begin a sign-in: begin one there.' })
      }
      const address = await requireSignInAddress(db, organizationId, config.baseUrl)
      if (new URL(address).host !== reply.request.host) {
        fail('invalid', { message: `People sign in at ${address}: open the console there to test it.` })
      }
      const { ip: ipAddress, headers } = reply.request
      const begun = await beginSession(
        db,
        {
          ...{ interactionUid: randomUUID(), connection, subject: undefined, requestMarks: [], isTest: true },
          ...{ network: networkOf(ipAddress), ipAddress, userAgent: String(headers['user-agent'] ?? '') },
        },
        context,
      )
      if (typeof begun === 'string') {
        return fail('rate_limited', { message: 'Many sign-ins began from your network. Wait 10 minutes.' })
      }
      reply.header('set-cookie', cookieOf(address, begun.id).give(begun.secret))
      return { page_url: `/signin/${begun.id}` }
    },
  })
}
