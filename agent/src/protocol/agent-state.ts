import { randomUUID } from 'node:crypto'
import type { QueryRunner } from '../sql/query-runner.ts'
import type { AgentFacts, ScheduleFact } from '../tables/table.ts'
import type { LogBuffer } from './log-buffer.ts'
import type { Session } from './open-session.ts'
import type { AgentConfig } from './read-config.ts'

export type Intervals = {
  /** Between distributed reads; the option distributed_interval otherwise (60 s). */
  distributedMs?: number
  /** Between config reads; the option config_refresh otherwise (300 s). */
  configMs?: number
  /** Between log posts; the option logger_tls_period otherwise (60 s). */
  loggerMs?: number
  /** The length of a second in back-offs and schedules; 1000 but in tests. */
  secondMs?: number
}

/** What the three loops of one agent share. */
export type AgentState = {
  session: Session
  runner: QueryRunner
  facts: AgentFacts
  config: AgentConfig
  scheduleFacts: Map<string, ScheduleFact>
  logs: LogBuffer
  intervals: Intervals
  secondMs: number
  hostIdentifier: string
  log: (line: string) => void
  signal: AbortSignal
}

export function newAgentFacts(): AgentFacts {
  return {
    instanceId: randomUUID(),
    pid: process.pid,
    startedAtUnix: Math.floor(Date.now() / 1000),
    configHash: '',
    configValid: false,
    flags: {},
    schedule: [],
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
