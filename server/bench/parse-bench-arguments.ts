import { parseArgs } from 'node:util'
import type { Scale } from './figure.ts'

export type BenchArguments = { figures: readonly string[]; isEmbedded: boolean; scale: Scale }

const whole: Scale = {
  devices: 100_000,
  searchedRows: 500_000,
  reportingDevices: 2_000,
  fleet: { devices: 100_000, spreadMs: 180_000, holdMs: 600_000 },
  storm: { devices: 5_000, spreadMs: 75_000, limitMs: 180_000 },
  recomputed: { devices: 70_000, checks: 500 },
  strangers: 20_000,
  signIns: 20_000,
  roundMs: 6_000,
  rounds: 5,
}
const small: Scale = {
  devices: 10_000,
  searchedRows: 50_000,
  reportingDevices: 500,
  fleet: { devices: 5_000, spreadMs: 15_000, holdMs: 45_000 },
  storm: { devices: 300, spreadMs: 5_000, limitMs: 30_000 },
  recomputed: { devices: 5_000, checks: 50 },
  strangers: 2_000,
  signIns: 2_000,
  roundMs: 1_500,
  rounds: 3,
}

const known = [
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  '10',
  '11',
  '12',
  '13',
  '14',
  '15',
  '16',
  '17',
  '18',
  '19',
  '20',
  '21',
]
/** Figures 5 and 21 take many minutes and are asked for by name. */
const usual = known.filter((figure) => !['5', '21'].includes(figure))

/** Throws on an argument that it does not know. */
export function parseBenchArguments(args: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, small: { type: 'boolean' }, load: { type: 'boolean' } },
  })
  const unknown = positionals.find((figure) => !known.includes(figure))
  if (unknown !== undefined) throw new Error(`There is no figure ${unknown}: they are ${known.join(', ')}`)
  const named = values.load ? [...positionals, '5'] : positionals
  return {
    figures: named.length > 0 ? named : usual,
    isEmbedded: values.quick ?? false,
    scale: values.quick || values.small ? small : whole,
  }
}
