import type { AgentFacts } from '../tables/table.ts'
import type { QueryAnswer, QueryCost } from './open-engine.ts'

/** Answers SQL from the machine, one query after another. */
export type QueryRunner = {
  /** Never rejects: a failing query is an answer with a message. */
  run: (sql: string, facts: AgentFacts) => Promise<QueryAnswer>
  close: () => Promise<void>
}

export const noCost: QueryCost = { wallTimeMs: 0, userMs: 0, systemMs: 0, memoryBytes: 0 }

/** A query may take this long before it is interrupted. */
export const queryLimitMs = 10_000
