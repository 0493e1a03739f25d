import { closeSync, openSync, readSync } from 'node:fs'

/** The Node that packages bring along. */
export type AgentRuntime = {
  path: string
  version: string
  /** As Debian names it. */
  architecture: string
}

const architectures: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' }

let found: { runtime: AgentRuntime | undefined } | undefined

/**
 * This process's own Node, if it runs on other Linux machines too: linked with glibc and, but for that and the C++
 * library, with nothing of this system. Undefined elsewhere, where devices need a Node of their own.
 */
export function agentRuntime(): AgentRuntime | undefined {
  found ??= { runtime: findRuntime() }
  return found.runtime
}

/** The lowest version of glibc that this Node runs on. */
export const runtimeGlibc = '2.28'

/** What Debian calls the libraries that this Node is linked with. */
export const runtimeDepends = `libc6 (>= ${runtimeGlibc}), libgcc-s1 | libgcc1, libstdc++6`

function findRuntime(): AgentRuntime | undefined {
  const architecture = architectures[process.arch]
  const shared = Object.entries(process.config.variables).some(
    ([name, value]) => name.startsWith('node_shared') && value === true,
  )
  const path = process.execPath
  if (process.platform !== 'linux' || !architecture || shared || !isLinkedWithGlibc(path)) return undefined
  return { path, version: process.versions.node, architecture }
}

/** The program interpreter stands in the first page of the file, in plain text. */
function isLinkedWithGlibc(path: string): boolean {
  const head = Buffer.alloc(4096)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  return /\/ld-linux-[a-z0-9-]+\.so/.test(head.toString('latin1'))
}
