import type { KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from '@muster/contract/operations/define-operations.ts'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import type { AdmittedSession, Caller } from '../base/callers.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config/load-config.ts'
import type { Db } from '../base/db/transact.ts'
import type { Links } from '../base/links.ts'
import type { Secrets } from '../base/secrets/secrets.ts'
import type { Scope } from './access-tokens.ts'
import type { Admit, Credential } from './authenticate.ts'
import type { CallerScheme, ConsoleRights, OperationScheme, RouteKind } from './caller-scheme.ts'
import type { Operation } from './operations.ts'
import type { OwnAddressOf, RequireAddress } from './require-address.ts'
import type { SessionGuard } from './session-endpoint.ts'

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
  /** Counts a request of a key, and refuses it beyond the limit. */
  readonly admitKey: Admit
  /** Goes the way that each request of a key goes first; resolves when that leads through. */
  readonly tryAdmission: () => Promise<void>
  /** Whose own address a host is; undefined for every other, such as MUSTER_BASE_URL's. */
  readonly ownAddressOf: OwnAddressOf
  readonly requireAddress: RequireAddress
  readonly scheme: OperationScheme
  /** Lets administrators in; in the console only. */
  readonly sessions?: SessionGuard
  /** In the order of their registration. */
  readonly operations: Operation[]
}

/** A route, and what it was registered on. */
export type KnownRoute = RouteOptions & { readonly routePath: string; readonly scope: FastifyInstance }

declare module 'fastify' {
  interface FastifyInstance {
    readonly kit: Kit
    /** Every route, in the order of registration. */
    readonly routes: readonly KnownRoute[]
    /** Which methods the address of an unmatched request has; none where nothing is. */
    readonly allowedMethods: (path: string, headers: IncomingHttpHeaders) => string[]
  }
  interface FastifyRequest {
    /** Set by the authentication of every route that needs a key or a session. */
    principal: Caller | undefined
    /** Set on every route of the console that needs one. */
    consoleSession: AdmittedSession | undefined
    /** What the request was sent with, as soon as its form is known; undefined for none, and for sessions. */
    credential: Credential | undefined
  }
  interface FastifyContextConfig {
    /** How callers of the route get in. */
    scheme?: CallerScheme
    /** Of operations: what a key needs for it. */
    access?: Access
    kind?: RouteKind
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
