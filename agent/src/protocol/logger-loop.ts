import { type AgentState, messageOf } from './agent-state.ts'
import type { LogType } from './log-buffer.ts'
import { pause } from './pauses.ts'
import { optionMs } from './read-config.ts'

const logPath = '/api/v1/osquery/log'

const maxBatchCharacters = 8 * 1024 * 1024
const defaultBackOffSeconds = 3_600
const defaultMaxLines = 1_024

/** Sends one batch of a type when there is any; the lines leave the buffer only once the server took them. */
async function flushLog(state: AgentState, type: LogType): Promise<void> {
  const maxLines = Number(state.config.options['logger_tls_max_lines']) || defaultMaxLines
  const lines = state.logs.first(type, maxLines, maxBatchCharacters)
  if (lines.length === 0) return
  await state.session.call(logPath, `{"log_type":"${type}","data":[${lines.join(',')}]}`)
  state.logs.drop(type, lines)
}

/** One post of each type a period; after failures period × n², and the same lines again. */
export async function loggerLoop(state: AgentState): Promise<void> {
  let failures = 0
  while (!state.signal.aborted) {
    const period = state.intervals.loggerMs ?? optionMs(state.config.options, 'logger_tls_period', 60, state.secondMs)
    const longestMs = optionMs(state.config.options, 'logger_tls_backoff_max', defaultBackOffSeconds, state.secondMs)
    const waitMs = Math.min(period * Math.max(1, failures * failures), Math.max(period, longestMs))
    await pause(waitMs, state.signal)
    if (state.signal.aborted) return
    try {
      await flushLog(state, 'result')
      await flushLog(state, 'status')
      failures = 0
    } catch (error) {
      failures += 1
      if (!state.signal.aborted) state.log(`log: ${messageOf(error)}`)
    }
  }
}
