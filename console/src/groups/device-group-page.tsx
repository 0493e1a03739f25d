import { Button } from '@mantine/core'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListBody } from '../components/list-body.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { AddMembersDialog } from './add-members-dialog.tsx'
import { ChangeGroupDialog } from './change-group-dialog.tsx'
import { DeleteGroupDialog } from './delete-group-dialog.tsx'
import { GroupPage } from './group-page.tsx'
import { deviceGroupQuery, devicesFoundQuery, readGroupFilters } from './group-queries.ts'
import { useTakeOut } from './membership.tsx'

const route = getRouteApi('/shell/groups/devices/$groupId')
const crumb = { to: '/groups/devices', text: 'Device groups' } as const

export function DeviceGroupPage() {
  const { groupId } = route.useParams()
  const group = useQuery(deviceGroupQuery(groupId))
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
    refresh: [['groups', 'devices'], ['devices']],
  })
  return (
    <>
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name, owner, serial or note"
          onChange={(q) => void navigate({ search: readGroupFilters({ q }), replace: true })}
        />
      </search>
      <ListBody
        list={list}
        name="Devices of the group"
        filter={filters.q ? `Text contains “${filters.q}”.` : ''}
        noMatch="No devices in the group match."
        onClear={() => void navigate({ search: {} })}
        empty={<p className="t2">No devices in this group.</p>}
        after={filters.after}
        onNext={(after) => void navigate({ search: { ...filters, after } })}
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Device</th>
                <th className="w-150">State</th>
                <th className="w-240">Owner</th>
                {mayManage && (
                  <th className="w-120">
                    <span className="hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((device) => (
                <tr key={device.id}>
                  <td className="c-name">
                    <Link to="/devices/$deviceId" params={{ deviceId: device.id }} className="m ell" data-row-link>
                      {visibleText(device.name)}
                    </Link>
                  </td>
                  <td className="c-lead">
                    <StateCell standing={device.standing} />
                  </td>
                  <td className="c-sub">
                    <span className="ell">
                      {device.owner ? visibleText(device.owner.name) : <span className="t3">Not registered</span>}
                    </span>
                  </td>
                  {mayManage && <td className="num c-time">{takeOut(device)}</td>}
                </tr>
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </>
  )
}
