import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleFolder, companionBundle } from '../../server/bin/bundle-stamp.js'
import { copyPackages } from './copy-packages.ts'
import { writeBillOfMaterials } from './write-bill-of-materials.ts'

// node deploy/release/make-release.ts FOLDER
// Makes the folder that the container image and the Debian package install as /opt/muster: the server and the
// companion as bundles, their Node, the built console and the guides. The layout is that of the repository, so that everything
// finds what lies beside it.

/** Where a release is installed; what it starts by has this in its first line. */
const home = '/opt/muster'
const root = fileURLToPath(new URL('../../', import.meta.url))

/** What the bundle and the threads and packages of the agent read beside themselves, and what whoever runs it uses. */
const copied = [
  'package.json',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs',
  'scripts/preflight.js',
  'server/package.json',
  'server/bin',
  'server/src',
  'contract/package.json',
  'contract/src',
  'agent/package.json',
  'agent/src',
  'console/dist',
  'deploy/postgres',
  'deploy/prometheus',
  'deploy/grafana',
]

/** What only whoever works on Muster reads. */
const isLeftOut = (path: string): boolean =>
  /\.test\.(?:ts|yaml)$|\/docs\/decisions$|\/test-(?:migrations|processes|vectors)$|\/console\/dist\/\.sources$/.test(
    path,
  )

const [folder] = process.argv.slice(2)
if (folder === undefined || existsSync(folder)) {
  console.error('Name a folder that does not exist yet: node deploy/release/make-release.ts FOLDER')
  process.exit(2)
}
const target = resolve(folder)
const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })

run('console/build.ts', '--when-stale')
run('server/bundle.ts')
for (const path of copied) {
  cpSync(join(root, path), join(target, path), { recursive: true, filter: (source) => !isLeftOut(source) })
}
cpSync(bundleFolder(), join(target, 'server/bundle'), { recursive: true })
cpSync(companionBundle(), join(target, 'server/bundle/companion.mjs'))
copyPackages(root, target)
mkdirSync(join(target, 'bin'))
cpSync(process.execPath, join(target, 'bin/node'))
copyLicenseOfNode()
cpSync(join(root, 'deploy/container/healthcheck.js'), join(target, 'bin/healthcheck.js'))
const program = join(target, 'server/bin/muster.js')
writeFileSync(program, readFileSync(program, 'utf8').replace(/^#!.*/, `#!${home}/bin/node`))
chmodSync(program, 0o755)
symlinkSync('../server/bin/muster.js', join(target, 'bin/muster'))
writeBillOfMaterials(root, join(target, 'sbom.cdx.json'))

/** Where Node was unpacked it has its license beside it; npm's package of it has none. */
function copyLicenseOfNode(): void {
  const license = join(dirname(dirname(process.execPath)), 'LICENSE')
  if (existsSync(license)) cpSync(license, join(target, 'bin/LICENSE'))
  else console.warn(`${license} is not there: add the license of Node before you pass this release on.`)
}
