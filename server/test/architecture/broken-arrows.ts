import { featureArrows, globalHomes, groundArrows, packageHomes } from './arrow-table.ts'
import { brokenConsoleArrows } from './broken-console-arrows.ts'
import { isConsoleSource, isServerSource, isTest, type Place, placeOf } from './file-role.ts'
import { findImports, hasComputedImport, type Import } from './find-imports.ts'
import { type SourceFile, withoutComments } from './source-file.ts'

/** What a file breaks, one sentence for each; test files of the server and the console may import anything there. */
export function brokenArrows(file: SourceFile): string[] {
  const imports = findImports(file)
  const outward = imports.map((item) => brokenWorkspace(file.path, item)).filter((text) => text !== undefined)
  if (isTest(file.path)) return outward
  const computed = hasComputedImport(file) ? [`${file.path} imports a computed name, which no guard can follow`] : []
  if (isConsoleSource(file.path)) return [...computed, ...outward, ...brokenConsoleArrows(file)]
  if (!isServerSource(file.path)) return outward
  const here = placeOf(file.path)
  const isListed = here.home in featureArrows || here.home in groundArrows
  if (!isListed) return [`${file.path} lies in ${here.home}, which arrow-table.ts does not list`]
  return [
    ...computed,
    ...outward,
    ...imports.map((item) => brokenImport(file.path, here, item)),
    ...brokenGlobals(file),
  ].filter((text) => text !== undefined)
}

/** Data alone: the simulator answers by it. */
const osquerySchema = 'contract/src/osquery-schema.ts'

/** Says where bundles are to what starts before anything of server/src is read, and to the packages that one of them is for. */
const bundleStamp = { file: 'server/bin/bundle-stamp.js', homes: ['agents/packages'] }

/** contract imports nothing of ours, the agent one file of it; client and console import contract; only server/src/cli imports the agent. */
function brokenWorkspace(from: string, { target }: Import): string | undefined {
  if (!('file' in target)) return undefined
  const [home = ''] = from.split('/')
  const [aim = ''] = target.file.split('/')
  const isAllowed =
    home === aim ||
    (home === 'agent' && target.file === osquerySchema) ||
    ((home === 'server' || home === 'client' || home === 'console') && aim === 'contract') ||
    (home === 'server' &&
      aim === 'agent' &&
      (from.startsWith('server/src/cli/') || !from.startsWith('server/src/') || isTest(from)))
  return isAllowed ? undefined : `${from} imports ${target.file}`
}

function brokenImport(from: string, here: Place, { target, specifier }: Import): string | undefined {
  const broken = `${from} imports ${specifier}`
  if ('package' in target) {
    const homes = packageHomes[target.package]
    const isHome =
      !homes || homes.includes(here.home) || (here.home in featureArrows && homes.includes(`*/${here.role}`))
    if (!isHome) return `${broken}, which belongs to ${homes.join(', ')}`
    return isPure(here) ? `${broken}: rules import only contract and other rules` : undefined
  }
  if (target.file.startsWith('contract/')) return undefined
  if (target.file === bundleStamp.file && bundleStamp.homes.includes(here.home)) return undefined
  if (!isServerSource(target.file))
    return target.file.startsWith('server/') ? `${broken}, which is no part of the product` : undefined
  if (isTest(target.file)) return `${broken}, which is a test`
  const there = placeOf(target.file)
  return target.file !== storedTypes && brokenRole(here, there)
    ? `${broken}: ${here.role} may not reach ${there.role} of ${there.home}`
    : brokenFolder(broken, here, there)
}

function brokenFolder(broken: string, here: Place, there: Place): string | undefined {
  if (here.home === there.home) return undefined
  const arrows = featureArrows[here.home] ?? groundArrows[here.home] ?? []
  if (arrows.includes(there.home)) return undefined
  return `${broken}: no arrow from ${here.home} to ${there.home}`
}

const isPure = (place: Place): boolean => place.home in featureArrows && place.role === 'rules'

/** What each kind of file may not reach, whatever the folders say. */
function brokenRole(here: Place, there: Place): boolean {
  if (pureGround.includes(there.home)) return false
  const isFeature = there.home in featureArrows
  const isSameRoom = here.home === there.home && here.role === there.role
  if (isFeature && there.role === 'routes') return !isSameRoom && !composes(here, 'app.ts')
  if (isFeature && there.role === 'jobs') return !isSameRoom && !composes(here, 'worker.ts')
  if (here.home === 'app.ts') return isFeature
  if (!(here.home in featureArrows)) return false
  if (there.home === 'http') return here.role !== 'routes'
  if (here.role === 'rules') return !(isFeature && there.role === 'rules')
  if (here.role === 'queries') return isFeature ? there.role === 'present' : !queriesReach.includes(there.home)
  if (here.role === 'present') return isFeature ? isForeignCommand(here, there) : !presentReaches.includes(there.home)
  return false
}

/** What rows hold: types alone, so that also rules may use them. */
const storedTypes = 'server/src/base/db/schema.ts'

/** Without input, output or clock, so that also rules may use them. */
const pureGround = [
  ...['base/time.ts', 'base/fold-text.ts', 'base/storable.ts', 'base/scan-json.ts', 'base/value-text.ts'],
  'base/callers.ts',
]

const queriesReach = ['base/db', 'base/lists', 'base/clock.ts']
const presentReaches = ['base/db', 'base/links.ts', 'base/errors.ts', 'base/clock.ts']
const isForeignCommand = (here: Place, there: Place) => there.role === 'command' && here.home !== there.home
const composes = (place: Place, file: string): boolean => [file, 'main.ts', 'cli'].includes(place.home)

function brokenGlobals(file: SourceFile): string[] {
  const code = withoutComments(file.code)
  const path = file.path.slice('server/src/'.length)
  return globalHomes
    .filter(({ pattern, homes }) => pattern.test(code) && !homes.some((home) => path.startsWith(home)))
    .map(({ what, homes }) => `${file.path} uses ${what}, which belongs to ${homes.join(', ')}`)
}
