import { useSyncExternalStore } from 'react'
import { addressOf } from './api.ts'
import type { Subject } from './areas.ts'
import { refresh } from './query.ts'
import { queryClient } from './query-client.ts'
import { endOfSession } from './request.ts'

type Live = { readonly isOn: boolean; readonly since: number }

const state: { live: Live } = { live: { isOn: false, since: Date.now() } }
const listeners = new Set<() => void>()
const mayWaitMs = 2_000
/** What someone has asked for and waits for. */
const awaitedMs = 250
/** How often it is looked whether changes are heard of, and how often everything is read while they are not. */
const beatMs = 10_000
/** The server says every 5 seconds that it is there. */
const silentMs = 20_000
const refusedMs = 10_000

/** What the server calls changed, and what that changes in the console. */
const changedBy: Readonly<Record<string, readonly Subject[]>> = {
  devices: ['devices', 'checks', 'people', 'groups', 'streams', 'webhooks'],
  issues: ['devices', 'issues', 'checks'],
  requests: ['requests', 'devices'],
  sign_ins: ['sign_ins', 'devices'],
  live_queries: ['live_queries'],
  audit: ['audit', 'checks', 'requests', 'groups', 'people', 'streams', 'webhooks', 'api_keys', 'live_queries'],
}

function note(isOn: boolean): void {
  if (state.live.isOn === isOn) return
  state.live = { isOn, since: Date.now() }
  for (const tell of listeners) tell()
}

/** Reads again what is shown and has changed; several changes within a moment are one. */
function refresher() {
  const waiting = new Set<Subject>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  const read = () => {
    dueAt = Number.POSITIVE_INFINITY
    void refresh(...waiting)
    waiting.clear()
  }
  return {
    add(topics: readonly string[]) {
      for (const subject of topics.flatMap((topic) => changedBy[topic] ?? [])) waiting.add(subject)
      const wantedAt = Date.now() + (topics.includes('live_queries') ? awaitedMs : mayWaitMs)
      if (wantedAt >= dueAt) return
      clearTimeout(timer)
      dueAt = wantedAt
      timer = setTimeout(read, wantedAt - Date.now())
    },
    /** All that the server would tell changes of. */
    all() {
      void refresh(...new Set(Object.values(changedBy).flat()))
    },
    stop: () => clearTimeout(timer),
  }
}

/**
 * Hears of changes while the page is looked at, and reads everything again when it had not. A hidden page listens to
 * nothing: a browser opens only six connections to a server over HTTP/1.1. While nothing is heard, what is shown is read
 * again every few seconds. Ends when what is returned is called.
 */
export function followChanges(): () => void {
  const changes = refresher()
  let source: EventSource | undefined
  let hasBeenOn = false
  let heardAt = Date.now()
  let openAgainAt = 0
  const hear = () => {
    heardAt = Date.now()
    if (state.live.isOn) return
    if (hasBeenOn) void queryClient.invalidateQueries()
    hasBeenOn = true
    note(true)
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  const giveUpFor = (milliseconds: number) => {
    close()
    note(false)
    openAgainAt = Date.now() + milliseconds
  }
  const open = () => {
    if (source || document.hidden || Date.now() < openAgainAt) return
    heardAt = Date.now()
    source = new EventSource(addressOf('followChanges'))
    // Not that it is open: a proxy may pass that on, and hold back what is sent then.
    source.addEventListener('here', hear)
    source.addEventListener('changed', ({ data }) => {
      hear()
      const { topics } = JSON.parse(String(data)) as { topics: readonly string[] }
      changes.add(topics)
    })
    source.addEventListener('ended', endOfSession)
    source.addEventListener('error', () => {
      note(false)
      // Refused rather than lost: the browser does not try again by itself.
      if (source?.readyState === EventSource.CLOSED) giveUpFor(refusedMs)
    })
  }
  const beat = setInterval(() => {
    if (document.hidden) return
    if (source && Date.now() - heardAt > silentMs) giveUpFor(silentMs)
    open()
    if (!state.live.isOn && Date.now() - state.live.since > beatMs) changes.all()
  }, beatMs)
  const look = () => (document.hidden ? close() : open())
  // Without a network nothing can be heard: no need to wait for the silence.
  const lose = () => giveUpFor(0)
  document.addEventListener('visibilitychange', look)
  addEventListener('offline', lose)
  addEventListener('online', look)
  open()
  return () => {
    document.removeEventListener('visibilitychange', look)
    removeEventListener('offline', lose)
    removeEventListener('online', look)
    clearInterval(beat)
    changes.stop()
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
