import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countQuery } from '../api/query.ts'
import { Icon } from '../components/icon.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { visibleText } from '../components/visible-text.ts'
import { devicesFoundQuery } from '../groups/group-queries.ts'

const platforms = { Mac: 'target_macs', Windows: 'target_windows_devices', Linux: 'target_linux_devices' } as const
type Platform = keyof typeof platforms
const platformWords: Readonly<Record<Platform, string>> = {
  Mac: 'All Macs',
  Windows: 'All Windows computers',
  Linux: 'All Linux computers',
}

export type Targets = { readonly platforms: readonly Platform[]; readonly devices: readonly string[] }

/** What the server is told of them. */
export const targetBody = ({ platforms: chosen, devices }: Targets) => ({
  ...(devices.length > 0 && { targeted_device_ids: devices }),
  ...Object.fromEntries(chosen.map((name) => [platforms[name], true])),
})

/** How many devices are meant; a chosen device that one of the platforms covers counts twice at most. */
export function useTargeted({ platforms: chosen, devices }: Targets): number | undefined {
  const count = useQuery(
    countQuery(
      'listDeviceViews',
      { query: { platform: chosen.join(',') } },
      { enabled: chosen.length > 0, placeholderData: keepPreviousData },
    ),
  )
  if (chosen.length === 0) return devices.length
  return count.data === undefined ? undefined : count.data.count + (chosen.length === 3 ? 0 : devices.length)
}

type Parts = { readonly targets: Targets; readonly onChange: (targets: Targets) => void }

const toggled = <Value,>(values: readonly Value[], value: Value): readonly Value[] =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value]

export function TargetChoice({ targets, onChange }: Parts) {
  return (
    <fieldset>
      <legend>Runs on</legend>
      {(Object.keys(platforms) as Platform[]).map((name) => (
        <label key={name} className="target">
          <input
            type="checkbox"
            checked={targets.platforms.includes(name)}
            onChange={() => onChange({ ...targets, platforms: toggled(targets.platforms, name) })}
          />
          {platformWords[name]}
        </label>
      ))}
      <DeviceChoice targets={targets} onChange={onChange} />
    </fieldset>
  )
}

function DeviceChoice({ targets, onChange }: Parts) {
  const [q, setQ] = useState('')
  const [isOpen, setIsOpen] = useState(targets.devices.length > 0)
  const found = useQuery({ ...devicesFoundQuery(q === '' ? {} : { search: q }, undefined, 25), enabled: isOpen })
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="target">
        <Icon name="chevronRight" size={14} />
        Choose devices{targets.devices.length > 0 && `: ${targets.devices.length} chosen`}
      </summary>
      <SearchBox value={q} placeholder="Name, owner or serial" onChange={setQ} />
      <LoadFailure what="Devices" query={found} />
      <ul className="device-choice" aria-label="Devices found">
        {found.data?.data.map(({ id, name, owner }) => (
          <li key={id}>
            <label className="target">
              <input
                type="checkbox"
                checked={targets.devices.includes(id)}
                onChange={() => onChange({ ...targets, devices: toggled(targets.devices, id) })}
              />
              <span className="medium ellipsis">{visibleText(name)}</span>
              <span className="secondary small ellipsis">{visibleText(owner?.name ?? 'Not registered')}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
