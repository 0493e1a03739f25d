import { useSyncExternalStore } from 'react'
import { queryClient } from './query-client.ts'
import { endOfSession } from './request.ts'

type Live = { readonly isOn: boolean; readonly since: number }

const state: { live: Live } = { live: { isOn: false, since: Date.now() } }
const listeners = new Set<() => void>()
const mayWaitMs = 2_000
/** What somebody has asked for and waits for. */
const awaitedMs = 250

/** What the server calls changed, and the first word of the queries that show it. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  devices: ['devices', 'checks', 'people', 'groups', 'streams', 'webhooks'],
  issues: ['devices', 'issues', 'checks'],
  requests: ['requests', 'devices'],
  sign_ins: ['sign-ins', 'devices'],
  live_queries: ['live-queries'],
  audit: ['audit', 'checks', 'requests', 'groups', 'people', 'streams', 'webhooks', 'keys', 'live-queries'],
}

function note(isOn: boolean): void {
  if (state.live.isOn === isOn) return
  state.live = { isOn, since: Date.now() }
  for (const tell of listeners) tell()
}

/** Reads anew what is shown and has changed; several changes within a moment are one. */
function refresher() {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  const read = () => {
    dueAt = Number.POSITIVE_INFINITY
    for (const key of waiting) void queryClient.invalidateQueries({ queryKey: [key] })
    waiting.clear()
  }
  return {
    add(topics: readonly string[]) {
      for (const key of topics.flatMap((topic) => keysOf[topic] ?? [])) waiting.add(key)
      const wantedAt = Date.now() + (topics.includes('live_queries') ? awaitedMs : mayWaitMs)
      if (wantedAt >= dueAt) return
      clearTimeout(timer)
      dueAt = wantedAt
      timer = setTimeout(read, wantedAt - Date.now())
    },
    stop: () => clearTimeout(timer),
  }
}

/**
 * Hears of changes while the page is looked at, and reads everything anew when it had not. A hidden page listens to
 * nothing: a browser opens only six connections to a server over HTTP/1.1. Ends when what is returned is called.
 */
export function followChanges(): () => void {
  const refresh = refresher()
  let source: EventSource | undefined
  let hasBeenOn = false
  const open = () => {
    if (source || document.hidden) return
    source = new EventSource('/console/api/live')
    source.addEventListener('open', () => {
      if (hasBeenOn) void queryClient.invalidateQueries()
      hasBeenOn = true
      note(true)
    })
    source.addEventListener('changed', ({ data }) => {
      const { topics } = JSON.parse(String(data)) as { topics: readonly string[] }
      refresh.add(topics)
    })
    source.addEventListener('ended', endOfSession)
    source.addEventListener('error', () => {
      note(false)
      // Refused rather than lost: the browser does not try again by itself.
      if (source?.readyState === EventSource.CLOSED) {
        close()
        setTimeout(open, 10_000)
      }
    })
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  const look = () => (document.hidden ? close() : open())
  // A connection over a network that is gone stays open, and silent, for minutes.
  const lose = () => {
    close()
    note(false)
  }
  document.addEventListener('visibilitychange', look)
  addEventListener('offline', lose)
  addEventListener('online', look)
  open()
  return () => {
    document.removeEventListener('visibilitychange', look)
    removeEventListener('offline', lose)
    removeEventListener('online', look)
    refresh.stop()
    close()
    note(false)
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether changes are heard of, and since when. */
export const useLive = (): Live => useSyncExternalStore(subscribe, () => state.live)
