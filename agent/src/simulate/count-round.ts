import type { Fleet } from './fleet.ts'

/** How often each device has done the parts of a round, and how many devices have done as many rounds as are wanted. */
export type Rounds = {
  readonly wanted: number
  readonly reads: Uint32Array
  readonly logs: Uint32Array
  readonly isDone: Uint8Array
  devicesDone: number
}

export const createRounds = (wanted: number, devices: number): Rounds => ({
  wanted,
  reads: new Uint32Array(devices),
  logs: new Uint32Array(devices),
  isDone: new Uint8Array(devices),
  devicesDone: 0,
})

/**
 * A part of a round is over: the answers to a distributed read were accepted or there were none to give, or no line of
 * the log is left to send.
 */
export function countRound({ rounds, plans }: Fleet, device: number, part: 'reads' | 'logs'): void {
  if (!rounds || rounds.isDone[device]) return
  rounds[part][device] = (rounds[part][device] ?? 0) + 1
  const { wanted, reads, logs } = rounds
  const hasRead = plans[device]?.isDistributedDisabled === true || (reads[device] ?? 0) >= wanted
  if (!hasRead || (logs[device] ?? 0) < wanted) return
  rounds.isDone[device] = 1
  rounds.devicesDone += 1
}

/** False where no rounds are wanted. A device that has lost its key first enrolls again. */
export const hasDoneRounds = ({ rounds, settings, devicesWithKey }: Fleet): boolean =>
  rounds?.devicesDone === settings.devices && devicesWithKey === settings.devices
