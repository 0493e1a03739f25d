import { Button } from '@mantine/core'
import type { DeviceView } from '@muster/contract/console-views.ts'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListView } from '../components/list-view.tsx'
import { type Column, Records } from '../components/records.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { AddMembersDialog } from './add-members-dialog.tsx'
import { ChangeGroupDialog } from './change-group-dialog.tsx'
import { DeleteGroupDialog } from './delete-group-dialog.tsx'
import { GroupPage } from './group-page.tsx'
import { devicesFoundQuery, readGroupFilters } from './group-queries.ts'
import { useTakeOut } from './membership.tsx'

const route = getRouteApi('/shell/groups/devices/$groupId')
const crumb = { to: '/groups/devices', text: 'Device groups' } as const

export function DeviceGroupPage() {
  const { groupId } = route.useParams()
  const group = useQuery(query('getDeviceGroup', { params: { id: groupId } }, { pace: 'slow' }))
  const [open, setOpen] = useState<'add' | 'change' | 'delete' | undefined>()
  const close = () => setOpen(undefined)
  const mayManage = useMay('manage_device_groups')
  return (
    <GroupPage
      group={group}
      id={groupId}
      crumb={crumb}
      count={group.data?.members_count}
      one="device"
      many="devices"
      note={group.data?.description ?? ''}
      actions={
        mayManage && (
          <span className="row">
            <Button onClick={() => setOpen('change')}>Edit…</Button>
            <Button onClick={() => setOpen('delete')}>Delete…</Button>
            <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setOpen('add')}>
              Add devices
            </Button>
          </span>
        )
      }
    >
      {group.data && <Members group={group.data} mayManage={mayManage} />}
      {open === 'change' && group.data && <ChangeGroupDialog group={group.data} onClose={close} />}
      {open === 'delete' && group.data && <DeleteGroupDialog group={group.data} onClose={close} />}
      {open === 'add' && group.data && (
        <AddMembersDialog kind="devices" groupId={groupId} groupName={visibleText(group.data.name)} onClose={close} />
      )}
    </GroupPage>
  )
}

function Members({ group, mayManage }: { group: DeviceGroup; mayManage: boolean }) {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { group_id: group.id, ...(filters.q !== undefined && { search: filters.q }) }
  const list = useQuery(devicesFoundQuery(filter, filters.after))
  const deviceGroupId = group.id
  const takeOut = useTakeOut({
    add: (id) => api('addDeviceGroupMembers', { params: { deviceGroupId }, body: { device_ids: [id] } }),
    remove: (id) => api('removeDeviceGroupMember', { params: { deviceGroupId, id } }),
    refresh: ['device_groups', 'devices'],
  })
  return (
    <ListView
      list={list}
      name="Devices of the group"
      nouns={['device in the group', 'devices in the group']}
      filters={filters}
      read={readGroupFilters}
      inWords={({ q }) => (q ? `Text contains “${q}”.` : '')}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      searched="Name, owner, serial or note"
      empty={<p className="secondary">No devices in this group.</p>}
    >
      {(rows) => (
        <Records rows={rows} columns={mayManage ? [...columns, { ...takeOutColumn, cell: takeOut }] : columns} />
      )}
    </ListView>
  )
}

const columns: readonly Column<DeviceView>[] = [
  {
    text: 'Device',
    className: 'c-name',
    cell: ({ id, name }) => (
      <Link to="/devices/$deviceId" params={{ deviceId: id }} className="medium ellipsis" data-row-link>
        {visibleText(name)}
      </Link>
    ),
  },
  { text: 'State', head: 'w-150', className: 'c-lead', cell: ({ standing }) => <StateCell standing={standing} /> },
  {
    text: 'Owner',
    head: 'w-240',
    className: 'c-sub',
    cell: ({ owner }) => (
      <span className="ellipsis">
        {owner ? visibleText(owner.name) : <span className="faint">Not registered</span>}
      </span>
    ),
  },
]

const takeOutColumn = { text: 'Actions', isUntitled: true, head: 'w-120', className: 'numeric c-time' }
