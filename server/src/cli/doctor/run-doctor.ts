import { ConfigError } from '../../base/config/config-error.ts'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import type { CommandIo } from '../data-command.ts'
import { checkConsole } from './check-console.ts'
import { checkDataFolder } from './check-data-folder.ts'
import { checkDatabase } from './check-database.ts'
import { checkProxy } from './check-proxy.ts'
import { checkSignIn } from './check-sign-in.ts'
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
