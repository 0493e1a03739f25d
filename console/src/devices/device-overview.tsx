import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { personQuery } from '../people/person-queries.ts'
import { CheckResults } from './check-results.tsx'
import { ownerIdOf } from './device-facts.ts'
import { deviceQuery } from './device-queries.ts'
import { FactsRail } from './facts-rail.tsx'
import { OpenIssues } from './open-issues.tsx'

const route = getRouteApi('/shell/devices/$deviceId')

export function DeviceOverview() {
  const { deviceId } = route.useParams()
  const device = useQuery(deviceQuery(deviceId)).data
  const owner = useQuery(personQuery(device && ownerIdOf(device)))
  if (!device) return null
  return (
    <div className="columns in-tab">
      <div className="stack main-column">
        <OpenIssues deviceId={device.id} />
        <CheckResults deviceId={device.id} />
      </div>
      <FactsRail device={device} owner={owner.data} />
    </div>
  )
}

export function DeviceChecks() {
  const { deviceId } = route.useParams()
  return (
    <div className="in-tab">
      <CheckResults deviceId={deviceId} isWhole />
    </div>
  )
}
