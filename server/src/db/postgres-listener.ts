import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

type OnNotify = (payload: string) => void

export type PostgresListener = {
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>
  close(): Promise<void>
}

const longestPauseMs = 10_000
const heartbeatMs = 30_000

/**
 * One connection of its own for all channels, opened by the first `listen`. A lost connection is opened again with
 * growing pauses and listens again; what was notified in between is missed, so listeners also poll.
 */
export function postgresListener(settings: pg.ClientConfig): PostgresListener {
  const channels = new Map<string, Set<OnNotify>>()
  let client: Promise<pg.Client> | undefined
  let heartbeat: NodeJS.Timeout | undefined
  const closing = new AbortController()

  async function open(): Promise<pg.Client> {
    const opened = new pg.Client({ ...settings, connectionTimeoutMillis: 10_000 })
    opened.on('error', () => {})
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const onNotify of channels.get(channel) ?? []) onNotify(payload)
    })
    await opened.connect()
    opened.once('end', () => void reopen())
    for (const channel of channels.keys()) await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
    clearInterval(heartbeat)
    heartbeat = setInterval(() => void probe(opened), heartbeatMs)
    return opened
  }

  async function reopen(): Promise<void> {
    clearInterval(heartbeat)
    if (closing.signal.aborted) return
    const attempts = (async () => {
      for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          return await open()
        } catch {
          await pause(pauseMs, undefined, { signal: closing.signal })
        }
      }
    })()
    client = attempts
    await attempts.catch(() => {})
  }

  async function listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>> {
    const callbacks = channels.get(channel) ?? new Set()
    callbacks.add(onNotify)
    channels.set(channel, callbacks)
    try {
      client ??= open()
      await (await client).query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      if (channels.size === 1) client = undefined
      callbacks.delete(onNotify)
      throw error
    }
    return async () => {
      callbacks.delete(onNotify)
      if (callbacks.size > 0 || !channels.delete(channel) || closing.signal.aborted) return
      await (await client)?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {})
    }
  }

  async function close(): Promise<void> {
    closing.abort()
    clearInterval(heartbeat)
    await client?.then((open) => open.end()).catch(() => {})
  }

  return { listen, close }
}

/** A peer that vanished without closing is only noticed by asking it something. */
async function probe(client: pg.Client): Promise<void> {
  const answered = await Promise.race([client.query('select 1').then(() => true), pause(5_000, false)]).catch(
    () => false,
  )
  if (!answered) await client.end().catch(() => {})
}
