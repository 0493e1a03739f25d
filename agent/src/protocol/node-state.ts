import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What outlives a restart: the key of this node at that server. */
export type NodeState = { server: string; nodeKey: string }

/** Reads the state; undefined when there is none or it belongs to another server, whose key is nobody else's. */
export async function readNodeState(path: string, server: string): Promise<NodeState | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const state = parse(text)
  return state?.server === server ? state : undefined
}

function parse(text: string): NodeState | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<'server' | 'node_key', unknown>>
    const { server, node_key: nodeKey } = value
    return typeof server === 'string' && typeof nodeKey === 'string' && nodeKey !== '' ? { server, nodeKey } : undefined
  } catch {
    return undefined
  }
}

/** Writes the state for this user's eyes only; a crash leaves the old file or the new one. */
export async function writeNodeState(path: string, state: NodeState): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify({ server: state.server, node_key: state.nodeKey })}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, path)
}

export async function eraseNodeState(path: string): Promise<void> {
  await rm(path, { force: true })
}
