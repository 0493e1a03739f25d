import type { KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { Feature } from '@muster/contract/features.ts'
import type { Access, InConsole, OperationKind } from '@muster/contract/operations/define-operations.ts'
import type { ApiVersion } from '@muster/contract/versions.ts'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Caller } from '../base/callers.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config/load-config.ts'
import type { Db } from '../base/db/transact.ts'
import type { Links } from '../base/links.ts'
import type { Secrets } from '../base/secrets/secrets.ts'
import type { Scope } from './access-tokens.ts'
import type { Admit, Credential, Need } from './authenticate.ts'
import type { Operation } from './operations.ts'
import type { RequireAddress } from './require-address.ts'

/** What a route of the console declares; `nothing` is for callers who have not signed in. */
export type ConsoleRights = {
  readonly requires: 'nothing' | 'own_account' | 'read' | AdminPower
  readonly needsFreshProof?: boolean | InConsole['needsFreshProof']
  readonly feature?: Feature | undefined
}

/** How callers get in: the API has one, the console another, and the same endpoints stand behind both. */
export type CallerScheme = {
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

/** What the endpoints of all features share; `app.kit`. */
export type Kit = {
  readonly config: Config
  readonly db: Db
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Logger
  /** Of MUSTER_BASE_URL. */
  readonly links: Links
  /** Of the base address of the caller's organization. */
  readonly linksOf: (caller: Pick<Caller, 'baseUrl'> | undefined) => Links
  readonly cursorKey: KeyObject
  readonly admit: Admit
  readonly requireAddress: RequireAddress
  readonly scheme: CallerScheme
  /** In the order of their registration. */
  readonly operations: Operation[]
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly kit: Kit
    /** Every route, in the order of registration. */
    readonly routes: readonly RouteOptions[]
    /** Which methods the address of an unmatched request has; none where nothing is. */
    readonly allowedMethods: (path: string, headers: IncomingHttpHeaders) => string[]
  }
  interface FastifyRequest {
    /** Set by the authentication of every route that needs a key or a session. */
    principal: Caller | undefined
    /** What the request was sent with, as soon as its form is known; undefined for none, and for sessions. */
    credential: Credential | undefined
  }
  interface FastifyContextConfig {
    /** Who may call the route: a rule of the API, an agent, an identity provider, a client of OAuth, the operator, the console, someone who signs in, or anyone for a page. */
    access?: Access | 'agent' | 'scim' | 'oauth' | 'operator' | 'console' | 'sign_in' | 'page'
    /** An operation of the table, a form that others post, or a protocol that others have written. */
    kind?: OperationKind | 'form' | 'foreign'
    /**
     * Whose pages a browser may send the request from: anyone's, as nothing that a browser adds automatically lets it in; the
     * console's own; or anyone's, but as a navigation only.
     */
    origin?: 'any' | 'own_pages' | 'navigation'
    operationId?: string
    /** Of routes of the console: what is required beyond a session, as it is enforced. */
    rights?: ConsoleRights
    /** What an access token needs for the route; access tokens open no others. */
    scope?: Scope | undefined
    /** Serves whatever else is below its address: it makes no address exist. */
    isFallback?: true
    /** Successful requests are logged at debug level only. */
    isChatty?: true
  }
}
