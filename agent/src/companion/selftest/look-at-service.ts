import { programAsker } from '../macos/ask-program.ts'
import { look, okIf, type Row, unknown } from './row.ts'

const label = 'com.muster.companion'
const unit = 'muster-companion.service'
const what = 'Service'

/** How launchd or systemd runs the companion that a package has installed. */
export async function lookAtService(platform: NodeJS.Platform): Promise<Row> {
  if (platform === 'darwin')
    return readLaunchd(await programAsker('/bin/launchctl')({ args: ['print', `system/${label}`] }))
  if (platform === 'linux') {
    const args = ['show', unit, '--property=LoadState,ActiveState,SubState,UnitFileState,NRestarts,ExecMainStatus']
    return readSystemd(await programAsker('/usr/bin/systemctl')({ args }))
  }
  return unknown(what, 'no package for this system')
}

/** Of lines such as `state = running`, `runs = 2`, `last exit code = 0`; the words are no promise of Apple's. */
export function readLaunchd(text = ''): Row {
  const fieldOf = (name: string) => new RegExp(`^\\s*${name} = (.+?)\\s*$`, 'm').exec(text)?.[1]
  const state = fieldOf('state')
  if (state === undefined) return look(what, `launchd does not know ${label}`)
  const more = ['runs', 'last exit code'].flatMap((name) => (fieldOf(name) ? [`${name} ${fieldOf(name)}`] : []))
  return okIf(state === 'running', what, [`${label} ${state}`, ...more].join(', '))
}

/** Of lines such as `ActiveState=active`. */
export function readSystemd(text = ''): Row {
  const fieldOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const [load, active] = [fieldOf('LoadState'), fieldOf('ActiveState')]
  if (load === '') return unknown(what, 'systemd does not answer')
  if (load !== 'loaded') return unknown(what, `systemd does not know ${unit}`)
  const more = [
    fieldOf('UnitFileState'),
    `restarts ${fieldOf('NRestarts')}`,
    `last exit code ${fieldOf('ExecMainStatus')}`,
  ]
  return okIf(active === 'active', what, [`${unit} ${active} (${fieldOf('SubState')})`, ...more].join(', '))
}
