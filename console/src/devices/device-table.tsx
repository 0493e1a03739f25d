import type { DeviceSort, DeviceView } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '../components/icon.tsx'
import { Scroller } from '../components/scroller.tsx'
import { SortHead } from '../components/sort-head.tsx'
import { visibleText } from '../components/visible-text.ts'
import { DeviceCell, type DeviceColumn, DeviceHead } from './device-columns.tsx'

const platformIcons: Readonly<Record<DeviceView['device_type'], IconName>> = {
  Mac: 'apple',
  iOS: 'apple',
  Windows: 'windows',
  Linux: 'terminal',
  Android: 'device',
}

type Parts = {
  readonly rows: readonly DeviceView[]
  readonly columns: readonly DeviceColumn[]
  readonly sort: DeviceSort | undefined
  readonly onSort: (sort: DeviceSort | undefined) => void
  readonly chosen: ReadonlySet<string>
  /** Undefined: the administrator may do nothing with several devices. */
  readonly onChoose: ((ids: ReadonlySet<string>) => void) | undefined
  /** The rows are those of the page before. */
  readonly isOld: boolean
}

export function DeviceTable({ rows, columns, sort, onSort, chosen, onChoose, isOld }: Parts) {
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
            <SortHead<DeviceSort> ascending="name" descending="-name" sort={sort} onSort={onSort}>
              Device
            </SortHead>
            {columns.map((name) => (
              <DeviceHead key={name} name={name} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <DeviceRow
              key={row.id}
              row={row}
              columns={columns}
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

type RowParts = Pick<Parts, 'columns'> & {
  readonly row: DeviceView
  readonly isChosen: boolean
  readonly onToggle: (() => void) | undefined
}

function DeviceRow({ row, columns, isChosen, onToggle }: RowParts) {
  const name = visibleText(row.name)
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
      {columns.map((column) => (
        <DeviceCell key={column} name={column} row={row} />
      ))}
    </tr>
  )
}
