import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import { inventorySchedule } from '../../reporting/schedule-inventory.ts'
import { fractionOf } from './due-rules.ts'

/** Devices that started together poll together, as osquery has no splay of its own: so their intervals differ. */
const variants = 12
const pollSeconds = 60

/** So few devices cost nothing when they ask every few seconds, and a live query on them does not take a minute. */
const smallFleet = 1_000
const smallFleetVariants = 3
const smallFleetPollSeconds = 6

/**
 * The longest pause before lines of tables are sent again, as osquery 5.12 and later take it. Each device has its own, so that
 * a fleet that was without a server for long does not come back at once.
 */
const [maxBackoffSeconds, backoffStepSeconds] = [300, 5]

const texts = new Map<string, string>()

/**
 * The configuration of a device as JSON text, one text for all that have the same; `undefined` reports nothing.
 * `fleetSize` is how many devices this process serves.
 */
export function deviceConfig(deviceId: string, reportsAs: OsqueryPlatform | undefined, fleetSize: number): string {
  const isSmall = fleetSize <= smallFleet
  const variant = Math.floor(fractionOf(deviceId) * (isSmall ? smallFleetVariants : variants))
  const seconds = (isSmall ? smallFleetPollSeconds : pollSeconds) + variant
  const backoffSeconds = maxBackoffSeconds - backoffStepSeconds * Math.floor(fractionOf(deviceId) * variants)
  const key = `${reportsAs} ${seconds} ${backoffSeconds}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const made = JSON.stringify({
    options: {
      distributed_interval: seconds,
      disable_distributed: false,
      logger_tls_period: Math.max(seconds, pollSeconds),
      logger_tls_max_lines: 32,
      logger_tls_backoff_max: backoffSeconds,
      schedule_splay_percent: 10,
      pack_delimiter: '/',
    },
    schedule: reportsAs ? inventorySchedule(reportsAs) : {},
    packs: {},
    node_invalid: false,
  })
  texts.set(key, made)
  return made
}
