import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/**
 * Writes what a release is made of, in CycloneDX's JSON: every package of the lock file that is not for development only, the
 * builder of the console included.
 */
export function writeBillOfMaterials(root: string, file: string): void {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--omit=optional', '--sbom-type=application']
  const bill = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }))
  // npm calls it after the folder.
  bill.metadata.component.name = 'muster'
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`)
}
