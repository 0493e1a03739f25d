import type { FilePart } from '../file-parts.ts'
import type { Enrollment } from '../osquery-files.ts'
import { macProduct } from './flat-package.ts'
import type { MacPayload } from './mac-payload.ts'
import { macLabel } from './mac-places.ts'
import { macConfig, macScripts } from './mac-scripts.ts'

type Made = { version: string; processor: 'arm64' | 'x86_64'; builtAt: string; payload: MacPayload }

/** The companion as an installer package: what is the organization's, and a payload that is shared. */
export function companionOnMacos({ version, processor, builtAt, payload }: Made, enrollment: Enrollment): FilePart[] {
  const { part, sha1, lowestMacos, ...described } = payload
  const scripts = [...macScripts, ...macConfig(enrollment)]
  return macProduct({
    ...{ title: 'Muster companion', hostArchitecture: processor, lowestMacos, createdAt: builtAt },
    component: { identifier: macLabel, version, payload: part, payloadSha1: sha1, scripts, ...described },
  })
}
