import { type DeviceColumnName, type DeviceSort, deviceColumnNames } from '@muster/contract/console-values.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import type { ReactNode } from 'react'
import { RelativeTime } from '../components/relative-time.tsx'
import { SortHead } from '../components/sort-head.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

type Column = {
  readonly text: string
  readonly width: string
  readonly className: string
  readonly cell: (row: DeviceView) => ReactNode
  /** Only where an index or a bounded list stands behind it. */
  readonly order?: {
    readonly ascending?: DeviceSort | 'usual'
    readonly descending?: DeviceSort
    readonly isDescendingFirst?: boolean
  }
}

const missing = <span className="t3">—</span>

/** Besides the name, which is always the first. */
const columns: Readonly<Record<DeviceColumnName, Column>> = {
  state: {
    text: 'State',
    width: 'w-state',
    className: 'cell-state',
    cell: ({ standing }) => <StateCell standing={standing} />,
    order: { ascending: 'usual' },
  },
  blocks: {
    text: 'Blocks',
    width: 'w-blocks',
    className: 'cell-blocks tn',
    cell: ({ will_block_at: at, blocked_since: since }) => <RelativeTime time={at ?? since} />,
    order: { ascending: 'will_block_at', descending: '-will_block_at' },
  },
  owner: {
    text: 'Owner',
    width: 'w-owner',
    className: 'cell-owner',
    cell: ({ owner }) => (owner ? visibleText(owner.name) : <span className="t3">Not registered</span>),
  },
  system: {
    text: 'System',
    width: 'w-system',
    className: 'cell-system t2',
    cell: ({ operating_system: system }) => (system === null ? missing : visibleText(system)),
  },
  serial: {
    text: 'Serial',
    width: 'w-serial',
    className: 'cell-serial',
    cell: ({ serial }) => (serial === null ? missing : <code className="t2">{visibleText(serial)}</code>),
  },
  issues: {
    text: 'Issues',
    width: 'num w-issues',
    className: 'num cell-issues',
    cell: ({ open_issues: count }) => count,
  },
  seen: {
    text: 'Last seen',
    width: 'num w-seen',
    className: 'num t2 cell-seen',
    cell: ({ last_seen_at: at }) => <RelativeTime time={at} missing="never" />,
    order: { ascending: 'last_seen_at', descending: '-last_seen_at', isDescendingFirst: true },
  },
}

export const columnWords = Object.fromEntries(deviceColumnNames.map((name) => [name, columns[name].text])) as Readonly<
  Record<DeviceColumnName, string>
>

type HeadParts = {
  readonly name: DeviceColumnName
  readonly sort: DeviceSort | undefined
  readonly onSort: (sort: DeviceSort | undefined) => void
}

export function DeviceHead({ name, sort, onSort }: HeadParts) {
  const { text, width, order } = columns[name]
  if (!order) return <th className={width}>{text}</th>
  return (
    <SortHead<DeviceSort> {...order} sort={sort} onSort={onSort} className={width}>
      {text}
    </SortHead>
  )
}

/** What is cut off is told on hover; a time tells more itself. */
export function DeviceCell({ name, row }: { readonly name: DeviceColumnName; readonly row: DeviceView }) {
  const { cell, className } = columns[name]
  const full = { owner: row.owner?.name, system: row.operating_system, serial: row.serial }[name as string]
  return (
    <td className={className} {...(full && { title: visibleText(full) })}>
      {cell(row)}
    </td>
  )
}
