import type { Db } from '../../base/db/transact.ts'
import { hourMs } from '../../base/time.ts'
import type { AgentContext } from '../protocol/agent-context.ts'
import type { BodyReceiver } from '../protocol/bodies/receive-bodies.ts'
import { type FailureBudget, failureBudget } from '../protocol/failure-budget.ts'
import { type Remembered, rememberFor } from '../protocol/remember-for.ts'
import { type CheckInWaits, checkInWaits } from './check-in-waits.ts'
import { enrollmentNonces } from './enrollment-nonces.ts'

export type CompanionContext = Readonly<{
  db: Db
  agents: AgentContext
  bodies: BodyReceiver
  /** The address of organizations without one of their own, without a slash at the end. */
  baseUrl: string
  waits: CheckInWaits
  /** Keys whose requests were signed: what strangers of the same network send does not keep them out. */
  knownKeys: Remembered<true>
  enrollmentNonces: ReturnType<typeof enrollmentNonces>
  /** Names of queries whose results were taken. */
  takenNames: Remembered<true>
  /** Checks that were handed out, by key, check and request. */
  handedOut: Remembered<true>
  /** Enrollment secrets of which the log says that too many of their keys wait. */
  reportedSecrets: Remembered<true>
  /** Unknown keys, by the network that sent them. */
  unknownKeys: FailureBudget
}>

const unknownKeys = { burst: 1_000, perSecond: 20 }
const knownKeys = { lifeMs: 900_000, maxSize: 100_000 }
const takenNames = { lifeMs: 86_400_000, maxSize: 100_000 }
/** Longer than a companion takes to run what it was given. */
const handedOut = { lifeMs: 30_000, maxSize: 100_000 }
const reportedSecrets = { lifeMs: hourMs, maxSize: 1_000 }

export function companionContext(agents: AgentContext, bodies: BodyReceiver, baseUrl: string): CompanionContext {
  const { db, clock } = agents
  return {
    db,
    agents,
    bodies,
    baseUrl,
    waits: checkInWaits(agents.registry),
    knownKeys: rememberFor<true>(knownKeys, clock),
    enrollmentNonces: enrollmentNonces(agents.secrets, clock),
    takenNames: rememberFor<true>(takenNames, clock),
    handedOut: rememberFor<true>(handedOut, clock),
    reportedSecrets: rememberFor<true>(reportedSecrets, clock),
    unknownKeys: failureBudget(unknownKeys, clock),
  }
}
