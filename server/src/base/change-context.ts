import { randomUUID } from 'node:crypto'
import type { ActorType } from '@muster/contract/audit-logs.ts'

/** Who did something. `id` is of the administrator, key or person; null for the service itself. */
export type ActorIdentity = {
  readonly type: ActorType
  readonly id: string | null
  readonly name: string
  readonly email: string | null
}

/**
 * Who did something, and from which address. `ipAddress` is null only where no request is behind it: the command line and
 * the background. It has no default, so that each caller has to name it.
 */
export type Actor = ActorIdentity & { readonly ipAddress: string | null }

/** Who set a change in motion: CAEP's initiating_entity. */
export type Initiator = 'policy' | 'admin' | 'user' | 'system'

/** What set changes in motion, and when. A sweep over many organizations has one for all of them. */
export type ChangeOrigin = {
  /** UUID, the same for everything that one request or sweep brings about. */
  readonly cause: string
  readonly initiator: Initiator
  readonly now: string
  /** The check whose change has devices decided again, and when that was asked for. */
  readonly decidedFor?: { readonly checkId: string; readonly requestedAt: string }
}

/** Who changes what belongs to an organization. Every command takes one, and passes it on whole. */
export type ChangeContext = ChangeOrigin & { readonly organizationId: string; readonly actor: Actor }

/** The service itself: in the background, or at a start. */
export const systemActor: Actor = { type: 'System', id: null, name: 'Muster', email: null, ipAddress: null }

/** The service, because of a request that nobody signed in for: an agent's, or someone's with a link. */
export const systemActorAt = (ipAddress: string): Actor => ({ ...systemActor, ipAddress })

const initiators: Readonly<Record<ActorType, Initiator>> = {
  User: 'admin',
  ApiKey: 'admin',
  Person: 'user',
  System: 'system',
}

/** The context of one request. Who set it in motion follows from the actor, unless it is given. */
export function newChange(
  actor: Actor,
  organizationId: string,
  now: string,
  initiator: Initiator = initiators[actor.type],
): ChangeContext {
  return { organizationId, actor, initiator, now, cause: randomUUID() }
}

/** A change that the service makes itself. */
export const systemChange = (organizationId: string, now: string): ChangeContext =>
  newChange(systemActor, organizationId, now)
