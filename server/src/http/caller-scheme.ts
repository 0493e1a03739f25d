import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { Feature } from '@muster/contract/features.ts'
import type { InConsole, OperationKind } from '@muster/contract/operations/define-operations.ts'
import type { ApiVersion } from '@muster/contract/versions.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Need } from './authenticate.ts'

/** An operation of the table, a form that others post, or a protocol that others have written. */
export type RouteKind = OperationKind | 'form' | 'foreign'

/**
 * A way by which callers get in. Every route names one, as its own or by its kit; the room that admits the callers makes
 * it, and nothing else has a list of them.
 */
export type CallerScheme = {
  readonly name: string
  /** What routes of it are, beside operations of the table. */
  readonly kinds: readonly RouteKind[]
  /** The status for whoever brings nothing. Left out: anyone may ask, or the route itself judges what was brought. */
  readonly refusal?: 401
  /** The WWW-Authenticate of a 401 (RFC 9110 §11.6.1). Left out: that of the API. */
  readonly challenge?: string
}

/** What a route of the console declares; `nothing` is for callers who have not signed in. */
export type ConsoleRights = {
  readonly requires: 'nothing' | 'own_account' | 'read' | AdminPower
  readonly needsFreshProof?: boolean | InConsole['needsFreshProof']
  readonly feature?: Feature | undefined
}

/** How callers get to operations: the API has one, the console another, and the same endpoints stand behind both. */
export type OperationScheme = CallerScheme & {
  /** Before the paths of all endpoints. */
  readonly prefix: string
  readonly origin: 'any' | 'own_pages'
  readonly versions: readonly ApiVersion[]
  /** Whether what needs no key is served here, too. */
  readonly isForEverybody: boolean
  readonly requires: (need: Need) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** What is asked once the body is known, where the definition says so. */
  readonly requiresOfBody?: (need: Need) => ((request: FastifyRequest) => Promise<void>) | undefined
  /** For the policy that routes are held to. */
  readonly rightsOf?: (need: Need) => ConsoleRights
}

const pages: CallerScheme = { name: 'page', kinds: ['page'] }

/** What the route of a page for everyone declares. */
export const openPage = { scheme: pages, kind: 'page', origin: 'any', isChatty: true } as const

const operators: CallerScheme = { name: 'operator', kinds: ['page'], challenge: 'Bearer' }

/** What a route for the operator and their monitoring declares. */
export const operatorPage = { scheme: operators, kind: 'page', origin: 'any', isChatty: true } as const
