import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { auditViewsQuery } from '../audit/audit-queries.ts'
import { AuditTable } from '../audit/audit-table.tsx'
import { ListBody } from '../components/list-body.tsx'
import { visibleText } from '../components/visible-text.ts'
import { signInViewsQuery } from '../sign-ins/sign-in-queries.ts'
import { SignInTable } from '../sign-ins/sign-in-table.tsx'
import { deviceQuery } from './device-queries.ts'

const signInRoute = getRouteApi('/shell/devices/$deviceId/sign-ins')
const auditRoute = getRouteApi('/shell/devices/$deviceId/audit')

export function DeviceSignIns() {
  const { deviceId } = signInRoute.useParams()
  const { after } = signInRoute.useSearch()
  const navigate = signInRoute.useNavigate()
  const list = useQuery(signInViewsQuery({ device_id: deviceId }, after))
  return (
    <div className="in-tab">
      <ListBody
        isInset
        list={list}
        name="Sign-ins"
        empty={<p className="t2">Nobody has signed in with this device within 400 days.</p>}
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
      >
        {(rows) => <SignInTable rows={rows} />}
      </ListBody>
    </div>
  )
}

/** Entries are sentences: those that name the device as it is called now. */
export function DeviceAudit() {
  const { deviceId } = auditRoute.useParams()
  const { after } = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  const device = useQuery(deviceQuery(deviceId)).data
  const list = useQuery({ ...auditViewsQuery({ about: device?.name ?? '' }, after), enabled: device !== undefined })
  return (
    <div className="in-tab">
      <p className="sm t2">Entries with the name “{visibleText(device?.name ?? '')}”.</p>
      <ListBody
        isInset
        list={list}
        name="Audit log"
        empty={<p className="t2">No entry names this device.</p>}
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
      >
        {(rows) => <AuditTable rows={rows} />}
      </ListBody>
    </div>
  )
}
