import type { Reader } from '../../../base/db/transact.ts'

/** A Node for Macs that was added to the deployment, as far as a script that fetches it has to know it. */
export type MacNode = {
  architecture: 'arm64' | 'x64'
  /** Of the executable as gzip, in hexadecimal. */
  packedSha256: string
  /** Null of one that was added before this was read. */
  lowestMacos: string | null
  license: string | undefined
}

/** Those of the deployment, in a fixed order. */
export async function listMacNodes(reader: Reader): Promise<MacNode[]> {
  const rows = await reader
    .selectFrom('package_runtimes')
    .select(['system', 'packed_sha256', 'lowest_macos', 'license'])
    .where('system', 'in', ['darwin-arm64', 'darwin-x64'])
    .orderBy('system')
    .execute()
  return rows.map(({ system, packed_sha256: packedSha256, lowest_macos: lowestMacos, license }) => ({
    architecture: system === 'darwin-arm64' ? 'arm64' : 'x64',
    ...{ packedSha256, lowestMacos, license: license ?? undefined },
  }))
}
