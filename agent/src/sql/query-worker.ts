import { parentPort } from 'node:worker_threads'
import { linuxTables } from '../linux/linux-tables.ts'
import type { AgentFacts } from '../tables/table.ts'
import { openEngine, type QueryAnswer } from './open-engine.ts'

export type QueryRequest = { sql: string; facts: AgentFacts; limitMs: number }

const port = parentPort
if (!port) throw new Error('this file runs as a worker thread')
const engine = await openEngine(linuxTables, process.getuid?.())
port.on('message', ({ sql, facts, limitMs }: QueryRequest) => {
  const answer: QueryAnswer = engine.run(sql, facts, limitMs)
  port.postMessage(answer)
})
