import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useKeptDays } from '../api/setting-facts.ts'
import { RecordEntries } from '../audit/record-entries.tsx'
import { ListBody } from '../components/list-body.tsx'
import { signInViewsQuery } from '../sign-ins/sign-in-queries.ts'
import { SignInTable } from '../sign-ins/sign-in-table.tsx'
import { deviceQuery } from './device-queries.ts'

const signInRoute = getRouteApi('/shell/devices/$deviceId/sign-ins')
const auditRoute = getRouteApi('/shell/devices/$deviceId/audit')

export function DeviceSignIns() {
  const { deviceId } = signInRoute.useParams()
  const keptDays = useKeptDays('auth_logs')
  const { after } = signInRoute.useSearch()
  const navigate = signInRoute.useNavigate()
  const list = useQuery(signInViewsQuery({ device_id: deviceId }, after))
  return (
    <div className="in-tab">
      <ListBody
        isInset
        list={list}
        name="Sign-ins"
        empty={<p className="secondary">Nobody has signed in with this device in the last {keptDays} days.</p>}
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
      >
        {(rows) => <SignInTable rows={rows} />}
      </ListBody>
    </div>
  )
}

export function DeviceAudit() {
  const { deviceId } = auditRoute.useParams()
  const { after } = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  const device = useQuery(deviceQuery(deviceId)).data
  return (
    <div className="in-tab">
      <RecordEntries
        kind="device"
        id={deviceId}
        name={device?.name}
        after={after}
        onPage={(next) => void navigate({ search: { after: next } })}
      />
    </div>
  )
}
