import { useSyncExternalStore } from 'react'
import { fullTime, relativeTime } from './times.ts'

const listeners = new Set<() => void>()
const clock = { now: Date.now(), timer: undefined as ReturnType<typeof setInterval> | undefined }

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  clock.timer ??= setInterval(() => {
    clock.now = Date.now()
    for (const tell of listeners) tell()
  }, 30_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(clock.timer)
    clock.timer = undefined
  }
}

/** Now, kept for half a minute, so that a page full of times is drawn at once. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => clock.now)

/** A time where it steers action; the exact one in UTC on hover. Missing is a dash. What has just happened is never still to come. */
export function RelativeTime({ time, missing = '—' }: { time: string | null | undefined; missing?: string }) {
  const now = useNow()
  if (!time) return <span className="faint">{missing}</span>
  return (
    <time dateTime={time} title={fullTime(time)}>
      {relativeTime(time, Math.max(now, Date.now() - 30_000, Math.min(Date.parse(time), Date.now())))}
    </time>
  )
}
