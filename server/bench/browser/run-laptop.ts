import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeState } from '@muster/agent/companion/companion-state.ts'
import { runCompanion } from '@muster/agent/companion/run-companion.ts'
import type { LaptopMemory } from '@muster/agent/simulate/sign-ins/laptop.ts'

export type RunningLaptop = {
  /** Whether the check that blocks it fails from now on. */
  setBroken: (isBroken: boolean) => void
  stop: () => Promise<void>
}

const cost = { wallTimeMs: 0, userMs: 0, systemMs: 0, memoryBytes: 0 }

/** The companion of a laptop that has enrolled, at its port of this machine and with its channel to the server. */
export async function runLaptop(
  server: string,
  enrollSecret: string,
  { kid, privateJwk, nodeKey }: LaptopMemory,
): Promise<RunningLaptop> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-companion-'))
  const stateFile = join(folder, 'companion.json')
  await writeState(stateFile, { server, kid, privateJwk, trust: undefined })
  const ending = new AbortController()
  let isBroken = true
  const running = runCompanion({
    ...{ server, enrollSecret, stateFile, linkFolder: join(folder, 'link'), signal: ending.signal },
    hardware: async () => ({ uuid: '', serial: '' }),
    nodeKey: () => nodeKey,
    run: async () => ({
      ok: true,
      cost,
      rows: [{ KOLIDE_CHECK_STATUS: isBroken ? 'FAIL' : 'PASS', hardware_model: '' }],
    }),
    log: () => {},
  })
  return {
    setBroken: (value) => {
      isBroken = value
    },
    async stop() {
      ending.abort()
      await running
      await rm(folder, { recursive: true, force: true })
    },
  }
}
