import { eraseNodeState, readNodeState, writeNodeState } from './node-state.ts'
import type { Transport } from './open-transport.ts'
import { backOffMs, pause } from './pauses.ts'

/** The server said no, or said nothing an agent can use; to be tried again. */
class Refused extends Error {}

export type Session = {
  /**
   * Posts as this node, enrolling first when there is no key. `body` is the JSON object without its node key,
   * as text. Rejects with Refused or the network's error; a key that the server no longer knows is erased.
   */
  call: (path: string, bodyJson: string) => Promise<Record<string, unknown>>
  /** The key of this node, once it has enrolled. */
  nodeKey: () => string | undefined
}

export type SessionOptions = {
  server: string
  transport: Transport
  stateFile?: string | undefined
  /** The body of the enroll request, made again for each attempt. */
  enrollBody: () => Promise<Record<string, unknown>>
  /** How often enrolling is tried before a call fails; Infinity for an agent that stays. */
  enrollAttempts: number
  secondMs: number
  log: (line: string) => void
  signal: AbortSignal
}

const enrollPath = '/api/v1/osquery/enroll'
const maxPauseSeconds = 600

/** Starts from the node key in the state file, when there is one for this server. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { stateFile, signal, log } = options
  let nodeKey = stateFile === undefined ? undefined : (await readNodeState(stateFile, options.server))?.nodeKey
  let enrolling: Promise<string> | undefined
  let invalidated = 0
  const key = async (): Promise<string> => {
    if (nodeKey !== undefined) return nodeKey
    // Config, distributed and logger meet here at once; one of them enrolls for all.
    enrolling ??= enroll(options, invalidated).finally(() => {
      enrolling = undefined
    })
    nodeKey = await enrolling
    return nodeKey
  }
  const forget = async (used: string) => {
    if (nodeKey !== used) return
    nodeKey = undefined
    invalidated += 1
    log('the server no longer knows this node; enrolling again')
    if (stateFile !== undefined) await eraseNodeState(stateFile)
  }
  return {
    nodeKey: () => nodeKey,
    async call(path, bodyJson) {
      const used = await key()
      signal.throwIfAborted()
      const outcome = await options.transport.post(path, withNodeKey(bodyJson, used), used)
      if (outcome.kind === 'accepted') {
        invalidated = 0
        return outcome.body
      }
      if (outcome.kind === 'node_invalid') await forget(used)
      throw new Refused(outcome.message)
    },
  }
}

function withNodeKey(bodyJson: string, nodeKey: string): string {
  const rest = bodyJson.slice(1)
  return `{"node_key":${JSON.stringify(nodeKey)}${rest === '}' ? '' : ','}${rest}`
}

/** Enrolls with growing pauses. `invalidated` counts keys lost in a row: two machines fighting over one identity wait too. */
async function enroll(options: SessionOptions, invalidated: number): Promise<string> {
  const { signal, log, secondMs } = options
  if (invalidated > 0) await pause(backOffMs(invalidated, maxPauseSeconds, secondMs), signal)
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      const nodeKey = await enrollOnce(options)
      if (options.stateFile !== undefined) {
        await writeNodeState(options.stateFile, { server: options.server, nodeKey })
      }
      log('enrolled')
      return nodeKey
    } catch (error) {
      signal.throwIfAborted()
      const message = error instanceof Error ? error.message : String(error)
      if (attempt >= options.enrollAttempts) throw new Refused(`enrollment failed: ${message}`, { cause: error })
      const waitMs = backOffMs(attempt, maxPauseSeconds, secondMs)
      log(`enrollment failed: ${message}; next attempt in ${Math.ceil(waitMs / 1000)} s`)
      await pause(waitMs, signal)
    }
  }
}

async function enrollOnce(options: SessionOptions): Promise<string> {
  const outcome = await options.transport.post(enrollPath, JSON.stringify(await options.enrollBody()), undefined)
  if (outcome.kind !== 'accepted') throw new Refused(outcome.message)
  const nodeKey = outcome.body['node_key'] ?? outcome.body['id']
  if (typeof nodeKey !== 'string' || nodeKey === '') throw new Refused('the answer holds no node key')
  return nodeKey
}
