import type { ServerResponse } from 'node:http'
import { smallBytes } from '../../../base/parse-in-turns.ts'

/** A large body is held until the answer is on its way or the connection is gone. */
export function releaseWith(
  response: Pick<ServerResponse, 'once' | 'destroyed'>,
  { bytes, release }: { bytes: Buffer; release: () => void },
): void {
  if (bytes.length <= smallBytes || response.destroyed) release()
  else response.once('close', release)
}
