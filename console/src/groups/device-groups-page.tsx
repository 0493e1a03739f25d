import { Button } from '@mantine/core'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { groupSearch, readGroupFilters } from './group-queries.ts'
import { GroupTabs } from './group-tabs.tsx'
import { NewGroupDialog } from './new-group-dialog.tsx'

const route = getRouteApi('/shell/groups/devices')

export function DeviceGroupsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const asked = { query: groupSearch(filters.q), per_page: 50, cursor: filters.after }
  const list = useQuery(query('listDeviceGroups', { query: asked }, { pace: 'slow' }))
  const mayManage = useMay('manage_device_groups')
  const [isMaking, setIsMaking] = useState(false)
  const make = mayManage && (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setIsMaking(true)}>
        New group
      </Button>
      {isMaking && <NewGroupDialog onClose={() => setIsMaking(false)} />}
    </>
  )
  return (
    <ListPage
      title="Device groups"
      name="Device groups"
      nouns={['group', 'groups']}
      tabs={<GroupTabs />}
      searched="Name or description"
      views="device_groups"
      file={addressOf('exportDeviceGroups', { query: { query: groupSearch(filters.q) } })}
      actions={make}
      filters={filters}
      read={readGroupFilters}
      inWords={({ q }) => (q ? `Name or description contains “${q}”.` : '')}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      list={list}
      empty={
        <Emptiness title="No device groups yet." guide="checks">
          Checks can target or exclude a group. Create one, then add devices.
        </Emptiness>
      }
    >
      {(groups) => <Records isTall rows={groups} columns={columns} />}
    </ListPage>
  )
}

const columns: readonly Column<DeviceGroup>[] = [
  {
    text: 'Group',
    className: 'c-name',
    cell: ({ id, name, description }) => (
      <>
        <Link to="/groups/devices/$groupId" params={{ groupId: id }} className="medium ellipsis" data-row-link>
          {visibleText(name)}
        </Link>
        <span className="second ellipsis">{visibleText(description ?? '')}</span>
      </>
    ),
  },
  {
    text: 'Devices',
    head: 'numeric w-120',
    className: 'numeric c-lead',
    cell: ({ members_count: count }) => count.toLocaleString('en'),
  },
  {
    text: 'Created',
    head: 'numeric w-120',
    className: 'numeric secondary c-more',
    cell: ({ created_at: at }) => <RelativeTime time={at} />,
  },
]
