import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../../../.cache/strangers/', import.meta.url))
const limitMs = 300_000

/** What npm and pip say of a registry that they cannot reach. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|NewConnectionError|NameResolutionError|No matching distribution found.*\(from versions: none\)/

type Installed = { folder: string } | { missing: string }

/**
 * A folder with the packages that a manifest of this folder pins, and with its programs. It is kept for the next run. `missing`
 * says that the registry cannot be reached, as on a machine without the internet; any other failure throws.
 */
export function installPackages(name: 'node' | 'python'): Installed {
  const source = fileURLToPath(new URL(`${name}/`, import.meta.url))
  const pins = join(source, name === 'node' ? 'package-lock.json' : 'requirements.txt')
  const hash = createHash('sha256').update(readFileSync(pins)).update(process.version).digest('hex').slice(0, 16)
  const folder = join(cache, `${name}-${hash}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const made = mkdtempSync(join(cache, 'made-'))
    cpSync(pins, join(made, basename(pins)))
    if (name === 'node') cpSync(join(dirname(pins), 'package.json'), join(made, 'package.json'))
    const refusal = install(name, made)
    if (refusal !== undefined) {
      rmSync(made, { recursive: true })
      return { missing: refusal }
    }
    renameSync(made, folder)
  }
  // The programs may have changed since.
  cpSync(source, folder, { recursive: true })
  return { folder }
}

function install(name: 'node' | 'python', cwd: string): string | undefined {
  const [program, ...args] =
    name === 'node'
      ? ['npm', 'ci', '--no-audit', '--no-fund']
      : ['pip3', 'install', '--quiet', '--no-input', '--target', 'lib', '-r', 'requirements.txt']
  const { status, stdout, stderr, error } = spawnSync(program ?? '', args, { cwd, encoding: 'utf8', timeout: limitMs })
  if (status === 0) return undefined
  const said = `${error ?? ''}${stdout}${stderr}`
  if (unreachable.test(said)) return `the registry of ${program} cannot be reached`
  throw new Error(`${program} cannot install ${name}: ${said.slice(-2_000)}`)
}
