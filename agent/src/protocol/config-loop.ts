import { type AgentState, messageOf } from './agent-state.ts'
import { pause, withAttempts } from './pauses.ts'
import { optionMs, readConfig } from './read-config.ts'

const configPath = '/api/v1/osquery/config'

const attempts = 3
/** The flags that the service's vitals read, with osquery's names and this agent's defaults. */
const defaultFlags = {
  config_refresh: '300',
  distributed_interval: '60',
  logger_tls_period: '60',
  host_identifier: 'uuid',
}

/** Asks once for the config and takes it over. Rejects when the server gives none. */
export async function refreshConfig(state: AgentState): Promise<void> {
  const body = await withAttempts(attempts, state.secondMs, state.signal, () => state.session.call(configPath, '{}'))
  state.config = readConfig(body, process.platform)
  state.facts.configHash = state.config.hash
  state.facts.configValid = true
  state.facts.flags = { ...defaultFlags, ...state.config.options }
}

/** Keeps the config fresh; after a failure sooner, as config_accelerated_refresh. */
export async function configLoop(state: AgentState): Promise<void> {
  let failed = false
  while (!state.signal.aborted) {
    const { options } = state.config
    const usualMs = state.intervals.configMs ?? optionMs(options, 'config_refresh', 300, state.secondMs)
    const soonMs = optionMs(options, 'config_accelerated_refresh', 60, state.secondMs)
    await pause(failed ? Math.min(soonMs, usualMs) : usualMs, state.signal)
    if (state.signal.aborted) return
    failed = await refreshConfig(state).then(
      () => false,
      (error: unknown) => {
        if (!state.signal.aborted) state.log(`config: ${messageOf(error)}`)
        return true
      },
    )
  }
}
