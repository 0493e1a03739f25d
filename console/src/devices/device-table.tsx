import type { DeviceView } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '../components/icon.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

const platformIcons: Readonly<Record<DeviceView['device_type'], IconName>> = {
  Mac: 'apple',
  iOS: 'apple',
  Windows: 'windows',
  Linux: 'terminal',
  Android: 'device',
}

type Parts = {
  readonly rows: readonly DeviceView[]
  readonly chosen: ReadonlySet<string>
  /** Undefined: the administrator may do nothing with several devices. */
  readonly onChoose: ((ids: ReadonlySet<string>) => void) | undefined
  /** The rows are those of the page before. */
  readonly isOld: boolean
}

export function DeviceTable({ rows, chosen, onChoose, isOld }: Parts) {
  const isAll = rows.every(({ id }) => chosen.has(id))
  return (
    <Scroller name="Devices" className={isOld ? 'bleed old' : 'bleed'}>
      <table className="t bl device-table">
        <thead>
          <tr>
            {onChoose && (
              <th className="w-box">
                <input
                  type="checkbox"
                  aria-label="Choose all rows of this page"
                  checked={isAll}
                  onChange={() => onChoose(isAll ? new Set() : new Set(rows.map(({ id }) => id)))}
                />
              </th>
            )}
            <th>Device</th>
            <th className="w-state">State</th>
            <th className="w-blocks">Blocks</th>
            <th className="w-owner">Owner</th>
            <th className="w-system">System</th>
            <th className="w-serial">Serial</th>
            <th className="num w-issues">Issues</th>
            <th className="num w-seen">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <DeviceRow
              key={row.id}
              row={row}
              isChosen={chosen.has(row.id)}
              onToggle={onChoose && (() => onChoose(toggled(chosen, row.id)))}
            />
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const changed = new Set(chosen)
  if (!changed.delete(id)) changed.add(id)
  return changed
}

type RowParts = { readonly row: DeviceView; readonly isChosen: boolean; readonly onToggle: (() => void) | undefined }

function DeviceRow({ row, isChosen, onToggle }: RowParts) {
  const name = visibleText(row.name)
  const owner = row.owner ? visibleText(row.owner.name) : undefined
  return (
    <tr className={isChosen ? 'sel' : ''}>
      {onToggle && (
        <td className="w-box">
          <input type="checkbox" aria-label={`Choose ${name}`} checked={isChosen} onChange={onToggle} />
        </td>
      )}
      <td className="cell-name">
        <Icon name={platformIcons[row.device_type]} size={14} />
        <Link to="/devices/$deviceId" params={{ deviceId: row.id }} className="m ell" data-row-link title={name}>
          {name}
        </Link>
      </td>
      <td className="cell-state">
        <StateCell standing={row.standing} />
      </td>
      <td className="cell-blocks tn">
        <RelativeTime time={row.will_block_at ?? row.blocked_since} />
      </td>
      <td className={owner === undefined ? 'cell-owner t3' : 'cell-owner'} title={owner}>
        {owner ?? 'Not registered'}
      </td>
      <td className="cell-system t2">{row.operating_system === null ? '—' : visibleText(row.operating_system)}</td>
      <td className="cell-serial">
        <code className="t2">{row.serial === null ? '—' : visibleText(row.serial)}</code>
      </td>
      <td className="num cell-issues">{row.open_issues}</td>
      <td className="num t2 cell-seen">
        <RelativeTime time={row.last_seen_at} missing="never" />
      </td>
    </tr>
  )
}
