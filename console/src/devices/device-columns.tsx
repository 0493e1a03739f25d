import { type DeviceColumnName, type DeviceSort, deviceColumnNames } from '@muster/contract/console-values.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '../components/icon.tsx'
import type { Column } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { identityWords } from './identity-doubts.ts'

const missing = <span className="faint">—</span>

const whole = (text: string | null | undefined) => text && visibleText(text)

/** Besides the name, which is always the first. */
export const deviceColumns: Readonly<Record<DeviceColumnName, Column<DeviceView, DeviceSort>>> = {
  state: {
    text: 'State',
    head: 'w-state',
    className: 'cell-state',
    cell: ({ standing }) => <StateCell standing={standing} />,
    order: { ascending: 'usual' },
  },
  blocks: {
    text: 'Blocks',
    head: 'w-blocks',
    className: 'cell-blocks tabular',
    cell: ({ will_block_at: at, blocked_since: since }) => <RelativeTime time={at ?? since} />,
    order: { ascending: 'will_block_at', descending: '-will_block_at' },
  },
  owner: {
    text: 'Owner',
    head: 'w-owner',
    className: 'cell-owner',
    title: ({ owner }) => whole(owner?.name),
    cell: ({ owner }) => (owner ? visibleText(owner.name) : <span className="faint">Not registered</span>),
  },
  system: {
    text: 'System',
    head: 'w-system',
    className: 'cell-system secondary',
    title: ({ operating_system: system }) => whole(system),
    cell: ({ operating_system: system }) => (system === null ? missing : visibleText(system)),
  },
  serial: {
    text: 'Serial',
    head: 'w-serial',
    className: 'cell-serial',
    title: ({ serial }) => whole(serial),
    cell: ({ serial }) => (serial === null ? missing : <code className="secondary">{visibleText(serial)}</code>),
  },
  issues: {
    text: 'Issues',
    head: 'numeric w-issues',
    className: 'numeric cell-issues',
    cell: ({ open_issues: count }) => count,
  },
  seen: {
    text: 'Last seen',
    head: 'numeric w-seen',
    className: 'numeric secondary cell-seen',
    cell: ({ last_seen_at: at }) => <RelativeTime time={at} missing="never" />,
    order: { ascending: 'last_seen_at', descending: '-last_seen_at', isDescendingFirst: true },
  },
}

export const columnWords = Object.fromEntries(
  deviceColumnNames.map((name) => [name, deviceColumns[name].text]),
) as Readonly<Record<DeviceColumnName, string>>

const platformIcons: Readonly<Record<DeviceView['device_type'], IconName>> = {
  Mac: 'apple',
  iOS: 'apple',
  Windows: 'windows',
  Linux: 'terminal',
  Android: 'device',
}

export const nameColumn: Column<DeviceView, DeviceSort> = {
  text: 'Device',
  className: 'cell-name',
  order: { ascending: 'name', descending: '-name' },
  cell: (row) => (
    <>
      <Icon name={platformIcons[row.device_type]} size={14} />
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: row.id }}
        className="medium ellipsis"
        data-row-link
        title={visibleText(row.name)}
      >
        {visibleText(row.name)}
      </Link>
      {row.identity_doubts.map((doubt) => (
        <span className="tag doubt" key={doubt}>
          {identityWords[doubt]}
        </span>
      ))}
      {row.deleted_at !== null && <span className="faint small"> deleted since</span>}
    </>
  ),
}
