import type { Connection } from '../../base/db/connect.ts'
import { signalChannel } from './queue-signals.ts'

/** Called with the organization whose streams have something new, or undefined when something may have been missed. */
type OnSignal = (organizationId: string | undefined) => void

export type SignalFollower = {
  /** Returns the end of it. */
  subscribe(onSignal: OnSignal): () => void
  /** Resolves to true when something new is there for the organization, to false when `signal` aborts before. */
  wait(organizationId: string, signal: AbortSignal): Promise<boolean>
  stop(): Promise<void>
}

/** Hears, once for the whole process, what is queued for streams. It is a hint: callers also look for themselves. */
export async function followSignals(connection: Connection): Promise<SignalFollower> {
  const subscribers = new Set<OnSignal>()
  const tell = (organizationId: string | undefined) => {
    for (const onSignal of subscribers) onSignal(organizationId)
  }
  const unlisten = await connection.listen(signalChannel, tell, () => tell(undefined))

  function subscribe(onSignal: OnSignal): () => void {
    subscribers.add(onSignal)
    return () => subscribers.delete(onSignal)
  }

  function wait(organizationId: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isNew: boolean) => {
        unsubscribe()
        signal.removeEventListener('abort', giveUp)
        resolve(isNew)
      }
      const giveUp = () => end(false)
      const unsubscribe = subscribe((heard) => {
        if (heard === undefined || heard === organizationId) end(true)
      })
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  return { subscribe, wait, stop: unlisten }
}
