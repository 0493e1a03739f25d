import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { endClient } from './answer-limit.ts'
import { openClient, type PostgresSettings } from './postgres-pool.ts'

type OnNotify = (payload: string) => void
type Listening = { onNotify: OnNotify; onReconnect: () => void }

export type PostgresListener = {
  listen(channel: string, onNotify: OnNotify, onReconnect?: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

const maxPauseMs = 10_000
const heartbeatMs = 30_000

/**
 * One connection of its own for all channels, opened by the first `listen`. A lost connection is opened again with
 * growing pauses and listens again; what was notified in between is missed, so listeners are told, and also poll.
 */
export function postgresListener(settings: PostgresSettings): PostgresListener {
  const channels = new Map<string, Set<Listening>>()
  const closing = new AbortController()
  let client: Promise<pg.Client> | undefined
  /** The connection while it is there. */
  let connected: pg.Client | undefined

  function receive({ channel, payload = '' }: pg.Notification): void {
    for (const { onNotify } of channels.get(channel) ?? []) onNotify(payload)
  }

  async function open(): Promise<pg.Client> {
    const opened = await openClient(settings)
    opened.on('notification', receive)
    try {
      for (const channel of channels.keys()) await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await endClient(opened)
      throw error
    }
    const heartbeat = setInterval(() => void probe(opened), heartbeatMs)
    connected = opened
    opened.once('end', () => {
      clearInterval(heartbeat)
      connected = undefined
      if (closing.signal.aborted) return
      client = openAgain()
      client.catch(() => {})
    })
    return opened
  }

  /** Rejects only when closing. */
  async function openAgain(): Promise<pg.Client> {
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        const opened = await open()
        for (const listenings of channels.values()) for (const { onReconnect } of listenings) onReconnect()
        return opened
      } catch {
        await pause(pauseMs, undefined, { signal: closing.signal })
      }
    }
  }

  function openFirst(): Promise<pg.Client> {
    const first = open()
    first.catch(() => {
      if (client === first) client = undefined
    })
    return first
  }

  function forget(channel: string, listening: Listening): boolean {
    const listenings = channels.get(channel)
    listenings?.delete(listening)
    return listenings?.size === 0 && channels.delete(channel)
  }

  async function listen(channel: string, onNotify: OnNotify, onReconnect = () => {}): Promise<() => Promise<void>> {
    const listening = { onNotify, onReconnect }
    channels.set(channel, (channels.get(channel) ?? new Set()).add(listening))
    try {
      client ??= openFirst()
      await (await client).query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      forget(channel, listening)
      throw error
    }
    return async () => {
      if (!forget(channel, listening) || closing.signal.aborted) return
      // A connection that is lost no longer listens, and is not waited for.
      await connected?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {})
    }
  }

  async function close(): Promise<void> {
    closing.abort()
    await client?.then(endClient).catch(() => {})
  }

  return { listen, close }
}

/** A peer that vanished without closing is only noticed by asking it something. */
async function probe(client: pg.Client): Promise<void> {
  const answered = await Promise.race([client.query('select 1').then(() => true), pause(5_000, false)]).catch(
    () => false,
  )
  if (!answered) await endClient(client)
}
