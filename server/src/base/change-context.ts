import { randomUUID } from 'node:crypto'
import type { ActorType } from '@muster/contract/audit-logs.ts'

/** Who did something. `id` is of the administrator, key or person; null for the service itself. */
export type ActorIdentity = {
  readonly type: ActorType
  readonly id: string | null
  readonly name: string
  readonly email: string | null
}

/** Why something changes: one cause for everything that one request, deadline or answer of a device brings about. */
export type Cause = {
  /** UUID: the `txn` of tokens, and `cause` in the audit log, the events and the log lines. */
  readonly cause: string
  /** As the log line of the request has it, which the caller may have chosen; null where no request is behind it. */
  readonly requestId: string | null
}

/** A request that may change something: where it came from, and the cause of all that it changes. */
export type RequestSource = Cause & { readonly ipAddress: string }

/**
 * Who did something, by which request. `source` is null only where no request is behind it: the command line and the
 * background. It has no default, so that each caller has to name it.
 */
export type Actor = ActorIdentity & { readonly source: RequestSource | null }

/** Who set a change in motion: CAEP's initiating_entity. */
export type Initiator = 'policy' | 'admin' | 'user' | 'system'

/** A cause at work, and when. */
export type Occasion = Cause & { readonly now: string }

/** What set changes in motion, and when. */
export type ChangeOrigin = Occasion & {
  readonly initiator: Initiator
  /** The check whose change has devices decided again, and when that was asked for. */
  readonly decidedFor?: {
    readonly checkId: string
    readonly requestedAt: string
    /** Of changes of the check before it that were not worked through when it came, the oldest first. Left out where there are none. */
    readonly earlierCauses?: readonly string[]
  }
}

/** Who changes what belongs to an organization. Every command takes one, and passes it on whole. */
export type ChangeContext = ChangeOrigin & { readonly organizationId: string; readonly actor: Actor }

/** The service itself: in the background, or at a start. */
export const systemActor: Actor = { type: 'System', id: null, name: 'Muster', email: null, source: null }

/** The service, because of a request that nobody signed in for: an agent's, or someone's with a link. */
export const systemActorAt = (source: RequestSource): Actor => ({ ...systemActor, source })

const initiators: Readonly<Record<ActorType, Initiator>> = {
  User: 'admin',
  ApiKey: 'admin',
  Person: 'user',
  System: 'system',
}

/**
 * A new cause, which no request brought. A person, a clock and what a device says may begin one, a job never: it continues
 * with the one that it was queued with. The architecture test has the list of those that begin one.
 */
export const newCause = (): Cause => ({ cause: randomUUID(), requestId: null })

/** The context of one request. Who set it in motion follows from the actor, unless it is given. */
export function newChange(
  actor: Actor,
  organizationId: string,
  now: string,
  initiator: Initiator = initiators[actor.type],
): ChangeContext {
  const { cause, requestId } = actor.source ?? newCause()
  return { organizationId, actor, initiator, now, cause, requestId }
}

/** A change that the service makes itself. */
export const systemChange = (organizationId: string, now: string): ChangeContext =>
  newChange(systemActor, organizationId, now)
