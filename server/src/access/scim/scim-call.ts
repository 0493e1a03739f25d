import type { Actor } from '../../signals/audit/record-audit.ts'

/** On whose behalf a command runs, and when. */
export type ScimCall = {
  readonly organizationId: string
  readonly actor: Actor
  readonly now: string
}
