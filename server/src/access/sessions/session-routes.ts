import type { ConsoleLink, ConsoleSession, SignInOptions } from '@muster/contract/console.ts'
import { sessionOperations } from '@muster/contract/operations/console-sessions.ts'
import type { FastifyInstance } from 'fastify'
import { actorOf } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { openRoute, sessionRoute } from '../../http/session-endpoint.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { acceptLink } from './accept-link.ts'
import { linkPurpose } from './create-link.ts'
import { endSessions } from './end-sessions.ts'
import { passkeySite } from './passkey-site.ts'
import { presentLink } from './present.ts'
import { findLink, hasAccounts, hasSeveralOrganizations } from './queries.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import { signIn } from './sign-in.ts'
import { describeSession, secretOf, welcome } from './welcome-routes.ts'

/** Signing in and out, one-time links, and who is signed in. */
export function sessionRoutes(scope: FastifyInstance, guard: ConsoleGuard): void {
  addSigningIn()
  addLinks()
  const { db, secrets } = scope.kit

  sessionRoute(scope, {
    ...sessionOperations.getSession,
    run: async ({ session, reply }): Promise<ConsoleSession> => {
      const secret = guard.cookie.read(reply.request.headers.cookie) ?? fail('not_signed_in')
      return describeSession(db, session, guard.csrfTokenOf(secret))
    },
  })

  sessionRoute(scope, {
    ...sessionOperations.signOut,
    run: async ({ session, now, reply }) => {
      const { organization_id: organizationId, admin_user_id: adminUserId, session_id: sessionId } = session
      await transact(db, async (tx) => {
        if ((await endSessions(tx, { organizationId, adminUserId, sessionId, now })) === 0) return
        const description = 'Signed out of the console.'
        await recordAudit(
          tx,
          { action: 'administrator.signed_out', about: { administrator: adminUserId }, description },
          newChange(actorOf(session), organizationId, now),
        )
      })
      return reply.header('set-cookie', guard.cookie.clear).code(204).send()
    },
  })

  function addSigningIn(): void {
    openRoute(scope, {
      ...sessionOperations.getSignInOptions,
      run: async (): Promise<SignInOptions> => ({
        needs_organization: await hasSeveralOrganizations(db),
        passkeys: passkeySite(scope.kit.config.baseUrl) !== undefined,
        identity_provider: scope.kit.config.oidc?.name ?? null,
        has_administrators: await hasAccounts(db),
      }),
    })
    openRoute(scope, {
      ...sessionOperations.signIn,
      run: async ({ body, browser, now, reply }) => {
        const outcome = await signIn(db, secrets, { ...body, ...browser, now })
        return welcome(scope.kit, guard, reply, secretOf(outcome, reply))
      },
    })
  }

  function addLinks(): void {
    openRoute(scope, {
      ...sessionOperations.getLink,
      run: async ({ body, now }): Promise<ConsoleLink> =>
        presentLink((await findLink(db, secrets.lookupHash(linkPurpose, body.token), now)) ?? fail('link_ended')),
    })
    openRoute(scope, {
      ...sessionOperations.acceptLink,
      run: async ({ body, browser, now, reply }) => {
        const { token, password, email, first_name: firstName, last_name: lastName } = body
        const asked = { token, password, email, firstName, lastName, ...browser, now }
        return welcome(scope.kit, guard, reply, await acceptLink(db, secrets, asked))
      },
    })
  }
}
