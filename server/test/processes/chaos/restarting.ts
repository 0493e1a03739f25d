import { setTimeout as pause } from 'node:timers/promises'
import type { MusterProcess } from '../../support/muster-process.ts'
import type { PostgresPlace } from '../../support/postgres-place.ts'
import type { OwnCluster } from '../own-cluster.ts'
import type { Seeded } from './seeded.ts'

type Slot = { kind: 'server' | 'worker'; process: MusterProcess | undefined }

/** Processes that are killed and started again at random, and so is their database; the lower `pace`, the more often. */
export function openRestarting(place: PostgresPlace, cluster: OwnCluster, chance: Seeded, pace: number) {
  const kinds = ['server', 'server', 'worker', 'worker'] as const
  const slots: Slot[] = kinds.map((kind) => ({ kind, process: undefined }))
  const between = (minMs: number, maxMs: number) => pace * chance.between(minMs, maxMs)
  const counts = { workerKills: 0, serverKills: 0, restarts: 0, crashes: 0, failedStarts: 0 }

  async function start(slot: Slot): Promise<void> {
    while (!slot.process) {
      const starting = slot.kind === 'server' ? place.start(['serve', '--no-worker']) : place.startWorker()
      // The database may be gone just now.
      slot.process = await starting.catch(() => undefined)
      if (slot.process) return
      counts.failedStarts += 1
      await pause(500)
    }
  }

  async function killAtRandom(slot: Slot, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await start(slot)
      await pause(between(3_000, 15_000))
      if (isOver()) break
      const { process } = slot
      slot.process = undefined
      await process?.kill()
      if (slot.kind === 'server') counts.serverKills += 1
      else counts.workerKills += 1
      await pause(between(0, 2_000))
    }
    await start(slot)
  }

  async function restartDatabase(isOver: () => boolean): Promise<void> {
    for (;;) {
      await pause(between(8_000, 24_000))
      if (isOver()) return
      if (chance.isLikely(0.5)) {
        counts.restarts += 1
        await cluster.restart()
      } else {
        counts.crashes += 1
        await cluster.stop()
        await pause(between(0, 8_000))
        await cluster.start()
      }
    }
  }

  return {
    counts,
    servers: (): MusterProcess[] =>
      slots.flatMap(({ kind, process }) => (kind === 'server' && process ? [process] : [])),
    /** Everything runs when it resolves. */
    run: async (isOver: () => boolean): Promise<void> => {
      await Promise.all([...slots.map((slot) => killAtRandom(slot, isOver)), restartDatabase(isOver)])
    },
  }
}
