import { InvalidArgumentError } from 'commander'

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a time such as `5m`; refuses what is none. */
export function milliseconds(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([smh])$/.exec(text) ?? []
  if (number === '') throw new InvalidArgumentError('Give a time such as 30s, 5m or 1h.')
  return Number(number) * (unitMs[unit] ?? 1)
}
