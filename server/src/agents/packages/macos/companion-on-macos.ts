import type { FilePart } from '../file-parts.ts'
import type { Enrollment } from '../osquery-files.ts'
import { macProduct } from './flat-package.ts'
import type { MacPayload } from './mac-payload.ts'
import { macLabel } from './mac-places.ts'
import { macScripts } from './mac-scripts.ts'

type Made = { version: string; processor: 'arm64' | 'x86_64'; builtAt: string; payload: MacPayload }

/** The companion as an installer package: what is the organization's, and a payload that is everybody's. */
export function companionOnMacos(made: Made, enrollment: Enrollment): FilePart[] {
  const { part, sha1, ...described } = made.payload
  return macProduct({
    ...{ title: 'Muster companion', identifier: macLabel, version: made.version, createdAt: made.builtAt },
    ...{ hostArchitecture: made.processor, payload: part, payloadSha1: sha1 },
    ...described,
    scripts: macScripts(made.version, enrollment),
  })
}
