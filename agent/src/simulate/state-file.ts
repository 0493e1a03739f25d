import { readFile, rename, writeFile } from 'node:fs/promises'
import { isRecord } from './agent-answer.ts'

/** What a later run needs to continue as the same devices: their node keys and the time zero of their failures. */
export type SimulationState = { seed: number; startedAtMs: number; nodeKeys: string[] }

/** Undefined when there is no such file yet. Throws on a file of another seed, whose keys belong to other devices. */
export async function readStateFile(path: string, seed: number): Promise<SimulationState | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const state: unknown = JSON.parse(text)
  if (!isRecord(state) || !Array.isArray(state['node_keys']) || typeof state['started_at_ms'] !== 'number')
    throw new Error(`${path} is not a state file of the simulator`)
  if (state['seed'] !== seed) throw new Error(`${path} belongs to seed ${state['seed']}, not ${seed}`)
  const nodeKeys = state['node_keys'].map((key) => (typeof key === 'string' ? key : ''))
  return { seed, startedAtMs: state['started_at_ms'], nodeKeys }
}

/** Written beside and renamed, so that a stop in the middle leaves the former file; node keys are secrets. */
export async function writeStateFile(path: string, state: SimulationState): Promise<void> {
  const text = JSON.stringify({ seed: state.seed, started_at_ms: state.startedAtMs, node_keys: state.nodeKeys })
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
