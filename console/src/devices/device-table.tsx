import type { DeviceColumnName, DeviceSort } from '@muster/contract/console-values.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { Icon, type IconName } from '../components/icon.tsx'
import { RowMenu, RowMenuHead } from '../components/row-menu.tsx'
import { Scroller } from '../components/scroller.tsx'
import { choose, isChosen, range, type Selection } from '../components/selection.ts'
import { SortHead } from '../components/sort-head.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { DeviceCell, DeviceHead } from './device-columns.tsx'
import { useDeviceVerbs, useMayChangeDevices } from './device-verbs.tsx'
import { identityWords } from './identity-doubts.ts'

const platformIcons: Readonly<Record<DeviceView['device_type'], IconName>> = {
  Mac: 'apple',
  iOS: 'apple',
  Windows: 'windows',
  Linux: 'terminal',
  Android: 'device',
}

type Parts = {
  readonly rows: readonly DeviceView[]
  readonly columns: readonly DeviceColumnName[]
  readonly sort: DeviceSort | undefined
  readonly onSort: (sort: DeviceSort | undefined) => void
  readonly selection: Selection
  /** Undefined: the administrator may do nothing with several devices. */
  readonly onSelect: ((selection: Selection) => void) | undefined
  /** Rows are chosen by touching them, where they have no boxes otherwise. */
  readonly isSelecting: boolean
  /** Someone has taken a device out of the list, by its menu. */
  readonly onGone: () => void
  /** The rows are those of the page before. */
  readonly isOld: boolean
  /** They stand as they did on a day that is over: nothing is done from here. */
  readonly isPast: boolean
}

export function DeviceTable(parts: Parts) {
  const { rows, columns, sort, onSort, selection, onSelect, isSelecting, onGone, isOld, isPast } = parts
  const ids = rows.map(({ id }) => id)
  const isAll = ids.every((id) => isChosen(selection, id))
  // Where the choice began: with Shift all rows from there are chosen.
  const begun = useRef<string>(undefined)
  const mayChange = useMayChangeDevices()
  const hasMenu = mayChange && !isPast
  const toggle = (id: string, isRange: boolean) => {
    onSelect?.(choose(selection, isRange ? range(ids, begun.current, id) : [id], !isChosen(selection, id)))
    begun.current = id
  }
  return (
    <Scroller isList name="Devices" className={isOld ? 'bleed old' : 'bleed'}>
      <table className={isSelecting ? 't bl device-table selecting' : 't bl device-table'}>
        <thead>
          <tr>
            {onSelect && (
              <th className="w-box">
                <input
                  type="checkbox"
                  aria-label="Choose all rows of this page"
                  checked={isAll}
                  onChange={() => onSelect(choose(selection, ids, !isAll))}
                />
              </th>
            )}
            <SortHead<DeviceSort> ascending="name" descending="-name" sort={sort} onSort={onSort}>
              Device
            </SortHead>
            {columns.map((name) => (
              <DeviceHead key={name} name={name} sort={sort} onSort={onSort} />
            ))}
            {hasMenu && <RowMenuHead />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <DeviceRow
              key={row.id}
              row={row}
              columns={columns}
              isChosen={isChosen(selection, row.id)}
              isSelecting={isSelecting}
              onToggle={onSelect && ((isRange) => toggle(row.id, isRange))}
              onGone={hasMenu ? onGone : undefined}
            />
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

/** A checkbox is changed by a click, by the keyboard as well. */
const isShifted = (event: Event): boolean => 'shiftKey' in event && event.shiftKey === true

type RowParts = Pick<Parts, 'columns' | 'isSelecting'> & {
  readonly row: DeviceView
  readonly isChosen: boolean
  readonly onToggle: ((isRange: boolean) => void) | undefined
  /** Undefined: the administrator may do nothing with a device. */
  readonly onGone: (() => void) | undefined
}

function DeviceRow({ row, columns, isChosen: isOn, isSelecting, onToggle, onGone }: RowParts) {
  const name = visibleText(row.name)
  const choose = (event: MouseEvent) => {
    const { target } = event
    if (!isSelecting || !onToggle || !(target instanceof Element) || target.closest('input, button')) return
    // What a dialog in the row is pressed for comes by here as well.
    if (!event.currentTarget.contains(target)) return
    event.preventDefault()
    event.stopPropagation()
    onToggle(false)
  }
  return (
    <tr className={isOn ? 'sel' : ''} onClickCapture={choose}>
      {onToggle && (
        <td className="w-box">
          <input
            type="checkbox"
            aria-label={`Choose ${name}`}
            checked={isOn}
            onChange={(event) => onToggle(isShifted(event.nativeEvent))}
          />
        </td>
      )}
      <td className="cell-name">
        <Icon name={platformIcons[row.device_type]} size={14} />
        <Link to="/devices/$deviceId" params={{ deviceId: row.id }} className="m ell" data-row-link title={name}>
          {name}
        </Link>
        {row.identity_doubts.map((doubt) => (
          <span className="tag doubt" key={doubt}>
            {identityWords[doubt]}
          </span>
        ))}
        {row.deleted_at !== null && <span className="t3 sm"> deleted since</span>}
      </td>
      {columns.map((column) => (
        <DeviceCell key={column} name={column} row={row} />
      ))}
      {onGone && (
        <td className="c-menu">
          <RowMenu name={name}>{(menu) => <DeviceMenu row={row} menu={menu} onGone={onGone} />}</RowMenu>
        </td>
      )}
    </tr>
  )
}

type MenuParts = {
  readonly row: DeviceView
  readonly menu: (items: ReactNode) => ReactNode
  readonly onGone: () => void
}

function DeviceMenu({ row: { id, owner }, menu, onGone }: MenuParts) {
  const { verbs, dialogs } = useDeviceVerbs({
    deviceId: id,
    ownerId: owner?.id,
    ownerName: visibleText(owner?.name ?? ''),
    onDeleted: onGone,
    onUnregistered: onGone,
  })
  return (
    <>
      {menu(<VerbItems verbs={[verbs.refresh, verbs.edit, verbs.mode, verbs.unregister, verbs.merge, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
