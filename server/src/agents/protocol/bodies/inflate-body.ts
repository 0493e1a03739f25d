import { inflateUpTo, isGzip } from './inflate-up-to.ts'

const mebibyte = 2 ** 20
/** As long as a body without compression may be. */
const maxInflatedBytes = 16 * mebibyte
/** Logs shrink to a tenth; of a thousand lines that say the same, a fiftieth is left. */
const maxRatio = 200
const alwaysInflatedBytes = mebibyte

/** How a body begins, all of it unless it `isCut`. */
export type BodyText = { bytes: Buffer; isCut: boolean }

/**
 * What a body stands for, compressed or not, up to what is inflated of one that long; undefined when it is broken. `isCut` is
 * whether the body itself, or what it stands for, has lost its end.
 */
export async function inflateBody({ bytes, isCut }: BodyText): Promise<BodyText | undefined> {
  if (!isGzip(bytes)) return { bytes, isCut }
  const maxBytes = Math.min(maxInflatedBytes, Math.max(alwaysInflatedBytes, maxRatio * bytes.length))
  const { bytes: inflated, ending } = await inflateUpTo(bytes, maxBytes, { isCut })
  return ending === 'fault' ? undefined : { bytes: inflated, isCut: isCut || ending === 'bound' }
}
