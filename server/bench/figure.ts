import type { Engine } from './trial/open-trial.ts'

/** How much of everything a run takes. */
export type Scale = {
  devices: number
  searchedRows: number
  reportingDevices: number
  fleet: { devices: number; spreadMs: number; holdMs: number }
  storm: { devices: number; spreadMs: number; limitMs: number }
  recomputed: { devices: number; checks: number }
  /** Requests of strangers. */
  strangers: number
  /** Of figure 21. */
  signIns: number
  roundMs: number
  rounds: number
}

export type Bench = { engine: Engine; scale: Scale; say: (line: string) => void }

/** One measured value beside the limit it is held to, both from the same run. */
export type Finding = {
  figure: string
  what: string
  ours: string
  limit: string
  /** Ours by the limit, or empty where the target is a plain bound. */
  ratio: string
  target: string
  /** Undefined: told for information, with no target of its own. */
  isMet: boolean | undefined
  /** Further facts that belong to it. */
  notes?: readonly string[]
}

export type Figure = { number: string; title: string; run: (bench: Bench) => Promise<Finding[]> }

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
export const count = (value: number): string => whole.format(value)
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
export const ratioText = (value: number): string => value.toFixed(2)
