import { Errors } from 'typebox/value'
import { describeFault } from '../describe-fault.ts'
import { nearestName } from '../nearest-name.ts'
import type { ConfigFault } from './config-error.ts'
import { isRemovedSetting } from './removed-settings.ts'
import { type SettingValues, settings } from './settings.ts'
import { listSettings } from './settings-table.ts'
import { decodeBoolean, splitList } from './value-rules.ts'

const listed = listSettings()
const names = listed.map(([name]) => name)

/** Decodes and checks each variable separately. An empty one counts as absent, as compose files write it. */
export function parseEnvironment(env: NodeJS.ProcessEnv): { values: SettingValues; faults: ConfigFault[] } {
  const values: Record<string, unknown> = {}
  for (const [name, annotations] of listed) {
    const text = env[name]?.trim()
    const value = text ? decode(text, annotations.type) : annotations.default
    if (value !== undefined) values[name] = value
  }
  const faults = new Map<string, string>()
  for (const error of Errors(settings, values)) {
    const name = error.instancePath.split('/')[1] ?? ''
    // A value that stayed text where a number or a truth value is wanted fails several rules; the first says it.
    if (!faults.has(name)) faults.set(name, faultOf(error.keyword, error.message, error.params))
  }
  const all = [...unknownNames(env), ...[...faults].map(([name, message]) => ({ name, message }))]
  return { values: values as SettingValues, faults: all }
}

function decode(text: string, type: string | undefined): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'boolean') return decodeBoolean(text) ?? text
  if (type === 'array') return splitList(text.toLowerCase())
  return text
}

/** Rules of ours, which begin with a tilde, have words of their own. */
const faultOf = (keyword: string, message: string, params: object): string =>
  keyword.startsWith('~') ? message : describeFault({ keyword, params: { ...params } })

const ofTestSuites = /^MUSTER_(TEST|FUZZ)_/

/** What `muster receiver` reads, and shells export for calls by curl: no settings of the server, and no slips. */
const ofClients = new Set(['MUSTER_API_KEY', 'MUSTER_POLL_TOKEN', 'MUSTER_RECEIVER_AUTHORIZATION'])

/** Names of the test suites are let through: they start servers with their own environment. */
function unknownNames(env: NodeJS.ProcessEnv): ConfigFault[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('MUSTER_') && !ofTestSuites.test(name) && !ofClients.has(name))
    .filter((name) => !names.includes(name) && !isRemovedSetting(name))
    .map((name) => {
      const nearest = nearestName(name, names)
      return { name, message: nearest ? `is not a setting; did you mean ${nearest}?` : 'is not a setting' }
    })
}
