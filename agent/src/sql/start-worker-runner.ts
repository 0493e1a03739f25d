import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AgentFacts } from '../tables/table.ts'
import type { QueryAnswer } from './open-engine.ts'
import { noCost, type QueryRunner, queryLimitMs } from './query-runner.ts'
import type { QueryRequest } from './query-worker.ts'

type Options = { limitMs?: number; graceMs?: number; idleMs?: number }

/** As osquery's distributed_denylist_duration. */
const denylistMs = 86_400_000

/**
 * Runs queries in a thread of their own: a slow table or a runaway pattern cannot hold up the protocol, and what
 * has not stopped `graceMs` after the limit is stopped with its thread and not run again for a day.
 * The thread ends after `idleMs` without work, which gives its memory back.
 */
export function startWorkerRunner(options: Options = {}): QueryRunner {
  const { limitMs = queryLimitMs, graceMs = 5_000, idleMs = 20_000 } = options
  const denied = new Map<string, number>()
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const stop = async () => {
    clearTimeout(idleTimer)
    const stopping = worker
    worker = undefined
    await stopping?.terminate()
  }
  const runNow = async (sql: string, facts: AgentFacts): Promise<QueryAnswer> => {
    clearTimeout(idleTimer)
    if ((denied.get(sql) ?? 0) > Date.now()) return failure('distributed query is denylisted')
    worker ??= startWorker()
    const outcome = await answerFrom(worker, { sql, facts, limitMs }, limitMs + graceMs)
    if (outcome.stopped) {
      denied.set(sql, Date.now() + denylistMs)
      await stop()
    } else {
      idleTimer = setTimeout(() => void stop(), idleMs)
      idleTimer.unref()
    }
    return outcome.answer
  }
  return {
    run(sql, facts) {
      const next = last.then(() => runNow(sql, facts))
      last = next.catch(() => undefined)
      return next
    },
    close: stop,
  }
}

function startWorker(): Worker {
  const cache = getCompileCacheDir()
  const worker = new Worker(new URL('./query-worker.ts', import.meta.url), {
    // A thread does not inherit the compile cache, and stripping types again costs it 20 MB.
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) },
    resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 },
  })
  // Its failure is the answer of the query that runs; without a listener it would end the process.
  worker.on('error', () => undefined)
  // An idle agent that is done may leave; a running query is awaited by its caller.
  worker.unref()
  return worker
}

const failure = (message: string): QueryAnswer => ({ ok: false, message, cost: noCost })

type Outcome = { answer: QueryAnswer; stopped: boolean }

function answerFrom(worker: Worker, request: QueryRequest, hardLimitMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (outcome: Outcome) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      resolve(outcome)
    }
    // Under `node --watch` a thread also tells what it has imported.
    const onMessage = (message: QueryAnswer | object) => {
      if ('ok' in message) settle({ answer: message, stopped: false })
    }
    const onError = (error: Error) => settle({ answer: failure(`query stopped: ${error.message}`), stopped: true })
    const onExit = () => settle({ answer: failure('query stopped'), stopped: true })
    const timer = setTimeout(() => {
      settle({ answer: failure(`query interrupted after ${request.limitMs / 1000} s`), stopped: true })
    }, hardLimitMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(request)
  })
}
