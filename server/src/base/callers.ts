import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import type { Feature } from '@muster/contract/features.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import type { Actor, ActorIdentity, RequestSource } from './change-context.ts'

/** For whom a request is answered: someone with a key, or an administrator in the console. */
export type Caller = {
  readonly organizationId: string
  readonly keyId?: string
  readonly actor: Actor
  /** The organization's own base address, where it has one and is reached there. */
  readonly baseUrl?: string | null
  /** Refuses what an effect of the request needs beyond its route's definition. Left out: they may do nothing of it. */
  readonly requirePower?: (power: AdminPower) => void
}

/** Whom a key speaks for, and what it may do; the same for all requests of the key. */
export type Principal = {
  readonly organizationId: string
  readonly actor: ActorIdentity
  readonly keyId: string
  readonly permissions: ReadonlySet<Permission>
  readonly disabledFeatures: ReadonlySet<Feature>
  readonly baseUrl: string | null
  /** Whether it has left every address but its own. */
  readonly isAtOwnAddressOnly: boolean
}

/** A request of a key. */
export type Admission = {
  readonly principal: Principal
  /** Which request of the key's window this is, from 1. */
  readonly position: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
}

/** The session of an administrator, in one request of it. */
export type AdmittedSession = {
  organization_id: string
  organization_name: string
  disabled_features: Feature[]
  session_id: string
  created_at: string
  verified_at: string
  admin_user_id: string
  first_name: string
  last_name: string
  email: string
  access: AdminAccess
  restrictions: string[]
  method: 'password' | 'passkey' | 'link' | 'oidc'
  /** The organization requires one, and they have none: an identity provider answers for its own. */
  needs_second_factor: boolean
  /** Which request of the session's minute this is, from 1. */
  used: number
  milliseconds_left: number
  readonly source: RequestSource
}

/** The administrator, for the audit log. */
export const actorOf = (session: AdmittedSession): Actor => ({
  type: 'User',
  id: session.admin_user_id,
  name: `${session.first_name} ${session.last_name}`.trim(),
  email: session.email,
  source: session.source,
})

/**
 * What a route of the console needs in addition to a session. `own_account` is for what concerns the caller alone, such
 * as their password; `read` for anyone who may read the records of the organization.
 */
export type SessionNeed = {
  readonly requires: 'own_account' | 'read' | AdminPower
  readonly feature?: Feature | undefined
  /** For what shows secrets or lets someone in: a session left open on a desk must not be enough. */
  readonly needsFreshProof?: boolean | undefined
}

/** What a request of the console says about where it comes from. */
export type Browser = {
  source: RequestSource
  userAgent: string | undefined
  /** The secret of the session that the browser has, whether or not it still opens anything. */
  sessionSecret: string | undefined
  /** As it came; undefined where nobody has signed in recently. */
  deviceCookie: string | undefined
}
