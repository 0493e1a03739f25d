import { InvalidArgumentError } from 'commander'

type Bounds = { minimum?: number | bigint; maximum?: number | bigint }

/** The whole number that a flag was given, between the bounds of its schema. */
export function readInteger(schema: object, text: string): number {
  const { minimum = 0, maximum }: Bounds = schema
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= minimum && number <= (maximum ?? Number.MAX_SAFE_INTEGER)) return number
  throw new InvalidArgumentError(maximum === undefined ? 'Give a whole number.' : `${minimum} to ${maximum}`)
}
