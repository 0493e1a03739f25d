import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { discoverIssuer } from '../../access/sessions/oidc-provider.ts'
import { ConfigError } from '../../base/config/config-error.ts'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import { isLoopbackHost } from '../../base/config/value-rules.ts'
import { isConsoleBuilt } from '../../http/console-pages.ts'
import type { CommandIo } from '../data-command.ts'
import { checkDataFolder } from './check-data-folder.ts'
import { checkDatabase } from './check-database.ts'
import { checkTls } from './check-tls.ts'
import { type Finding, failed, judge, ok, warning } from './finding.ts'

/** Everything that can be told from outside about whether this installation works. It changes nothing. */
export async function runDoctor(env: NodeJS.ProcessEnv, io: CommandIo, clockMs: () => number): Promise<Finding[]> {
  const config = tryLoad(env)
  if (!('dataDir' in config)) return config
  return [
    ok('configuration', config.databaseUrl === undefined ? 'valid, for a trial' : 'valid'),
    ...config.removedSettings.map(({ name, message }) => warning('configuration', `${name} ${message}`)),
    ...(await judge('data folder', () => checkDataFolder(config))),
    ...(await judge('TLS', () => checkTls(config, clockMs()))),
    ...checkProxy(config),
    ...(await judge('console', () => checkConsole())),
    ...(await judge('single sign-on', () => checkSignIn(config))),
    ...(await judge('database', () => checkDatabase(config, io, clockMs))),
  ]
}

function tryLoad(env: NodeJS.ProcessEnv): Config | Finding[] {
  try {
    return loadConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ name, message }) => failed('configuration', `${name} ${message}`))
  }
}

/** Whether anyone who reaches the port can pretend to be at another address. */
function checkProxy({ trustProxy, host }: Pick<Config, 'trustProxy' | 'host'>): Finding[] {
  if (trustProxy !== true || isLoopbackHost(host)) return []
  return [
    warning(
      'proxy',
      `MUSTER_TRUST_PROXY is true and HOST is ${host}: anyone who reaches the port can forge the client address. Set MUSTER_TRUST_PROXY to the addresses of your proxy`,
    ),
  ]
}

const consoleFolder = fileURLToPath(new URL('../../../../console/', import.meta.url))
const howToBuild = 'run `npm run build -w console`, then restart the server'

/** Whether the console's files are there, and of this version. */
export async function checkConsole(isBuilt: () => boolean = isConsoleBuilt): Promise<Finding[]> {
  if (!isBuilt()) return [failed('console', `is not built: ${howToBuild}`)]
  // A release has it built, and nothing to build it from.
  if (!existsSync(`${consoleFolder}build.ts`)) return [ok('console', 'built')]
  const isFresh = await promisify(execFile)(process.execPath, [`${consoleFolder}build.ts`, '--check']).then(
    () => true,
    () => false,
  )
  return [isFresh ? ok('console', 'built') : warning('console', `is of another version than the server: ${howToBuild}`)]
}

/** Whether the identity provider of administrators answers; nothing where none is configured. */
async function checkSignIn({ oidc }: Pick<Config, 'oidc'>): Promise<Finding[]> {
  if (!oidc) return []
  try {
    await discoverIssuer(oidc)
    return [ok('single sign-on', `${oidc.issuer} answers`)]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      failed('single sign-on', `${oidc.issuer} cannot be used: ${reason}. Check MUSTER_OIDC_ISSUER and the network`),
    ]
  }
}
