import type { KeyObject } from 'node:crypto'
import type { RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Principal } from '../api-keys/principal.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/load-config.ts'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Admit, authenticator } from './authenticate.ts'
import type { Links } from './links.ts'
import type { Access, Operation } from './operations.ts'

/** What the endpoints of all features share; `app.kit`. */
export type Kit = {
  readonly config: Config
  readonly db: Db
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Logger
  readonly links: Links
  readonly cursorKey: KeyObject
  readonly admit: Admit
  readonly requires: ReturnType<typeof authenticator>
  /** In the order of their registration. */
  readonly operations: Operation[]
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly kit: Kit
    /** Every route, in the order of registration. */
    readonly routes: readonly RouteOptions[]
  }
  interface FastifyRequest {
    /** Set by the authentication of every route that needs a key. */
    principal: Principal | undefined
  }
  interface FastifyContextConfig {
    /** Who may call the route: a rule of the API, an agent, an identity provider, a client of OAuth, the operator, or anyone for a page. */
    access?: Access | 'agent' | 'scim' | 'oauth' | 'operator' | 'page'
    operationId?: string
    /** Successful requests are logged at debug level only. */
    isChatty?: true
  }
}
