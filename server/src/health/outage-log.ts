import type { Logger } from 'pino'

export type OutageLog = {
  /** The same log, which says once that the database is away; what then fails for it is at debug level. */
  log: Logger
  stop(): void
}

type OutageParts = {
  log: Logger
  isDatabaseAway: (error: unknown) => boolean
  /** Resolves to what is wrong with the database, as of health; undefined when it can be used. */
  look: () => Promise<string | undefined>
  lookEveryMs?: number
}

type Fields = { err?: unknown; status?: unknown; check?: unknown; request_id?: unknown; requestId?: unknown }
type Outage = { beganAtMs: number; requests: number; failures: number }

/**
 * One line when an outage of the database begins, with what failed first, and one when it is over, with how much failed
 * meanwhile: of a service with many requests it would otherwise be two lines for each.
 */
export function sayOutagesOnce(parts: OutageParts): OutageLog {
  const { log, isDatabaseAway, look, lookEveryMs = 1_000 } = parts
  let outage: Outage | undefined
  let timer: NodeJS.Timeout | undefined

  function begin(fields: Fields): void {
    outage = { beganAtMs: performance.now(), requests: 0, failures: 0 }
    log.error(fields, 'The database cannot be used: what fails for it is only counted until it can be used again')
    lookLater()
  }

  function lookLater(): void {
    timer = setTimeout(() => {
      look().then(
        (fault) => (fault === undefined ? end() : lookLater()),
        () => lookLater(),
      )
    }, lookEveryMs).unref()
  }

  function end(): void {
    if (!outage) return
    const { beganAtMs, requests, failures } = outage
    outage = undefined
    const seconds = Math.round((performance.now() - beganAtMs) / 100) / 10
    log.warn({ seconds, refused_requests: requests, other_failures: failures }, 'The database can be used again')
  }

  /** Whether the line is of the outage, which it begins where there is none. */
  function isHeld(fields: Fields): boolean {
    const isOfDatabase = isDatabaseAway(rootOf(fields.err))
    if (isOfDatabase && !outage) {
      begin(fields)
      return true
    }
    if (!outage) return false
    const isRefusal = fields.status === 503
    if (!isOfDatabase && !isRefusal && fields.check === undefined) return false
    if (isRefusal) outage.requests += 1
    else if (fields.request_id === undefined && fields.requestId === undefined) outage.failures += 1
    return true
  }

  const quiet = (level: 'warn' | 'error') => ({
    value: (...line: [fields: unknown, ...rest: unknown[]]) => {
      const [fields] = line
      const isObject = typeof fields === 'object' && fields !== null
      Reflect.apply(isObject && isHeld(fields) ? log.debug : log[level], log, line)
    },
  })
  return {
    log: Object.create(log, { warn: quiet('warn'), error: quiet('error') }),
    stop: () => clearTimeout(timer),
  }
}

/** A job that failed has why as its cause. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error
}
