import { minuteMs } from '../../base/time.ts'

/** A signed request is of now: its `iat` is at most so far from our clock. */
const nearMs = 5 * minuteMs
/** The longest life of a signed request, from `iat` or from now to `exp`. */
const longestMs = 10 * minuteMs

type Claims = Readonly<Record<string, unknown>>

/**
 * What is wrong with the times of a signed request (RFC 9101 §4, RFC 7519 §4.1); undefined when it is fresh. Without `iat` and
 * `exp` it would be good for ever, to whoever has read it.
 */
export function faultOfTimes({ iat, exp }: Claims, nowMs: number): string | undefined {
  if (iat === undefined && exp === undefined) return 'the request needs iat or exp'
  if (!isSecond(iat) || !isSecond(exp)) return 'iat and exp must be numbers of seconds'
  const [fromMs, untilMs] = [iat === undefined ? nowMs : iat * 1000, exp === undefined ? undefined : exp * 1000]
  if (Math.abs(fromMs - nowMs) > nearMs) return 'iat is more than 5 minutes away from our clock'
  if (untilMs === undefined) return undefined
  if (untilMs <= nowMs) return 'exp has passed'
  return untilMs - fromMs > longestMs ? 'exp must be at most 10 minutes after iat' : undefined
}

const isSecond = (value: unknown): value is number | undefined => value === undefined || Number.isFinite(value)
