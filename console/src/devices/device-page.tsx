import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { RecordPage } from '../components/record-page.tsx'
import '../components/list-body.css'
import './devices.css'
import { Page } from '../components/page.tsx'
import { useNow } from '../components/relative-time.tsx'
import { StatePill } from '../components/state-shape.tsx'
import { relativeTime, spanOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { personQuery } from '../people/person-queries.ts'
import { DeviceActions } from './device-actions.tsx'
import { blockingIssues, consequenceOf } from './device-consequence.tsx'
import { deviceStanding, ownerIdOf } from './device-facts.ts'
import { deviceQuery, openIssuesQuery } from './device-queries.ts'
import { DeviceTabs } from './device-tabs.tsx'
import { doubtsOf, identityWords } from './identity-doubts.ts'
import { IdentityNotes } from './identity-notes.tsx'
import { MissingDevice } from './missing-device.tsx'
import { TwinNotes } from './twins-note.tsx'

const route = getRouteApi('/shell/devices/$deviceId')
const crumb = { to: '/devices', text: 'Devices' } as const

export function DevicePage() {
  const { deviceId } = route.useParams()
  const device = useQuery(deviceQuery(deviceId))
  return (
    <RecordPage
      record={device}
      nouns={['device', 'devices']}
      id={deviceId}
      crumb={crumb}
      missing={<MissingDevice deviceId={deviceId} />}
    >
      {(data) => <LoadedDevice key={deviceId} device={data} />}
    </RecordPage>
  )
}

function LoadedDevice({ device }: { device: Device }) {
  const now = useNow()
  const owner = useQuery(personQuery(ownerIdOf(device)))
  const issues = useQuery(openIssuesQuery(device.id))
  const name = visibleText(device.name)
  const standing = deviceStanding(device, now)
  const changesAt = standing === 'blocked' ? blockingIssues(issues.data?.data, now)[0]?.blocks_at : device.will_block_at
  const isTimed = standing === 'will_block' || standing === 'blocked'
  const suffix = isTimed && changesAt ? ` ${relativeTime(changesAt, now)}` : ''
  const silence =
    standing === 'stale' && device.last_seen_at ? `, ${spanOf(now - new Date(device.last_seen_at).getTime())}` : ''
  const ownerName = owner.data ? visibleText(owner.data.name) : undefined
  return (
    <Page
      title={name}
      crumb={crumb}
      hasOwnTitle
      actions={<DeviceActions device={device} ownerName={ownerName ?? 'its owner'} />}
    >
      <div className="page detail">
        <div className="title-row device-head">
          <h1 tabIndex={-1} className="ellipsis" title={name}>
            {name}
          </h1>
          <StatePill standing={standing} suffix={suffix + silence} />
          {doubtsOf(device).map((doubt) => (
            <span className="tag doubt" key={doubt}>
              {identityWords[doubt]}
            </span>
          ))}
        </div>
        <p className="secondary">{consequenceOf(device, standing, ownerName ?? 'Its owner', issues.data?.data, now)}</p>
        <IdentityNotes device={device} ownerName={ownerName ?? 'its owner'} />
        <TwinNotes device={device} />
        <DeviceTabs device={device} />
        <Outlet />
      </div>
    </Page>
  )
}
