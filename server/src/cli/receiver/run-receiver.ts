import { setTimeout as pause } from 'node:timers/promises'
import type { CommandIo } from '../data-command.ts'
import { TransmitterError } from './call-transmitter.ts'
import { type Arrival, arrivalAsJson, describeArrival } from './describe-arrival.ts'
import type { PollPlan, PushPlan } from './plan-receiver.ts'
import { receiveByPolling } from './receive-by-polling.ts'
import { receivePushed } from './receive-pushed.ts'
import { rememberSets } from './remember-sets.ts'
import { discover, type Transmitter } from './transmitter.ts'

/** What receiving by either way shares. */
export type Receiving = {
  io: CommandIo
  dataDir: string
  /** Waits for the transmitter where it does not run yet. */
  findTransmitter: () => Promise<Transmitter>
  seen: ReturnType<typeof rememberSets>
  /** Shows what came on standard output. */
  show: (arrival: Omit<Arrival, 'receivedAt'>) => Promise<void>
  /** How it goes, apart from what came. */
  say: (text: string) => Promise<void>
}

const lookEveryMs = 1_000

/** Receives events until the signal of `io`. */
export async function runReceiver(
  plan: PollPlan | PushPlan,
  { dataDir, isJson, io }: { dataDir: string; isJson: boolean; io: CommandIo },
): Promise<void> {
  const describe = isJson ? arrivalAsJson : describeArrival
  const receiving: Receiving = {
    io,
    dataDir,
    findTransmitter: () => findTransmitter(plan.server, io),
    seen: rememberSets(),
    show: (arrival) => io.line(describe({ receivedAt: new Date().toISOString(), ...arrival })),
    say: io.error,
  }
  await (plan.how === 'poll' ? receiveByPolling(plan, receiving) : receivePushed(plan, receiving))
}

async function findTransmitter(server: string, { error: say, signal }: CommandIo): Promise<Transmitter> {
  for (let looks = 0; ; looks += 1) {
    try {
      return await discover(server, signal)
    } catch (error) {
      if (!(error instanceof TransmitterError) || !error.isPassing) throw error
      if (looks === 0) await say(`${error.message}. Waiting for it…`)
    }
    await pause(lookEveryMs, undefined, { signal })
  }
}
