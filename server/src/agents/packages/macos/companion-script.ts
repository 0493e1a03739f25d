import { fail } from '../../../base/errors.ts'
import type { FilePart } from '../file-parts.ts'
import type { Enrollment } from '../osquery-files.ts'
import { macProcessors } from '../package-files.ts'
import { type FetchedPart, partOf } from '../parts/keep-parts.ts'
import type { MacNode } from '../runtimes/mac-nodes.ts'
import { lackOf } from '../runtimes/system-rules.ts'
import { fetchedProgram } from './fetched-program.ts'
import { type FetchedByMac, fetchingScript } from './fetching-script.ts'

/** The companion as a script that fetches what is shared, for each processor that there is a Node for. */
export async function companionScript(
  version: string,
  enrollment: Enrollment,
  nodes: readonly MacNode[],
): Promise<{ parts: FilePart[]; fetches: FetchedPart[] }> {
  if (nodes.length === 0) fail('unavailable', { message: lackOf('darwin-arm64') })
  const fetches: FetchedPart[] = []
  const byMac: FetchedByMac[] = []
  for (const { architecture, packedSha256, lowestMacos, license } of nodes) {
    const program = partOf(await fetchedProgram(license))
    fetches.push(program, { sha256: packedSha256 })
    const processor = macProcessors[architecture]
    byMac.push({ processor, program: program.sha256, node: packedSha256, lowestMacos })
  }
  return { parts: [Buffer.from(fetchingScript(version, enrollment, byMac))], fetches }
}
