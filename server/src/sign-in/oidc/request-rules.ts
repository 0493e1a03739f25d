import { minuteMs } from '../../base/time.ts'

/** A signed request is of now: its `iat` is at most so far from our clock, and its `nbf` at most so far ahead of it. */
const nearMs = 5 * minuteMs
/** The longest life of a signed request, from `iat` or from now to `exp`. */
const longestMs = 10 * minuteMs
/** A request that has just ended still counts, as its end was written by another clock. */
const lateMs = 10_000

type Claims = Readonly<Record<string, unknown>>

/** What is wrong with the times of a signed request. */
export type TimeFault = {
  text: string
  /** Whether the clock of the caller may be the cause: how its request is set up is not. */
  isOfClock: boolean
}

/**
 * What is wrong with the times of a signed request (RFC 9101 §4, RFC 7519 §4.1); undefined when it is fresh. Without `iat` and
 * `exp` it would be good for ever, to whoever has read it. Caller and server each have a clock of their own: FAPI 2.0 §5.3.2.1
 * has `iat` and `nbf` accepted for 10 seconds ahead, libraries write both by themselves, and a fault says by how much they differ.
 */
export function faultOfTimes({ iat, exp, nbf }: Claims, nowMs: number): TimeFault | undefined {
  if (iat === undefined && exp === undefined) return ofSetup('the request needs iat or exp')
  if (!isSecond(iat) || !isSecond(exp) || !isSecond(nbf)) return ofSetup('iat, nbf and exp must be numbers of seconds')
  const [fromMs, untilMs] = [iat === undefined ? nowMs : iat * 1000, exp === undefined ? undefined : exp * 1000]
  if (fromMs - nowMs > nearMs)
    return ofClock(`iat is ${secondsOf(fromMs - nowMs)} ahead of our clock, and may be 300 s`)
  if (nowMs - fromMs > nearMs) return ofClock(`iat is ${secondsOf(nowMs - fromMs)} behind our clock, and may be 300 s`)
  if (nbf !== undefined && nbf * 1000 - nowMs > nearMs)
    return ofClock(`nbf is ${secondsOf(nbf * 1000 - nowMs)} ahead of our clock, and may be 300 s`)
  if (untilMs === undefined) return undefined
  if (nowMs - untilMs >= lateMs) return ofClock(`exp has passed ${secondsOf(nowMs - untilMs)} ago by our clock`)
  return untilMs - fromMs > longestMs ? ofSetup('exp must be at most 10 minutes after iat') : undefined
}

/**
 * How far the clock of a caller is ahead of ours at least, by when it says that it made a request, in milliseconds; negative where
 * it is behind, by the second that it is rounded to and the time that the request took. Undefined where it does not say.
 */
export function aheadOf({ iat }: Claims, nowMs: number): number | undefined {
  return typeof iat === 'number' ? Math.round(iat * 1000 - nowMs) : undefined
}

/** Up to a second ahead is rounding, and up to so much behind may be a person whose network is slow. */
const slowMs = 10_000

/** Whether a caller whose clock is so far ahead, or behind, should set it. */
export const isClockOff = (aheadMs: number): boolean => aheadMs >= 1_000 || aheadMs <= -slowMs

const ofClock = (text: string): TimeFault => ({ text, isOfClock: true })
const ofSetup = (text: string): TimeFault => ({ text, isOfClock: false })

const secondsOf = (ms: number): string => `${Math.round(ms / 1000)} s`

const isSecond = (value: unknown): value is number | undefined => value === undefined || Number.isFinite(value)
