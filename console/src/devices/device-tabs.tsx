import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { asTab, Tabs } from '../components/tabs.tsx'
import { checkResultsQuery, openIssuesQuery } from './device-queries.ts'

export function DeviceTabs({ device: { id } }: { device: Device }) {
  const checks = useQuery(checkResultsQuery(id))
  const issues = useQuery(openIssuesQuery(id))
  const without = useSession()?.disabled_features ?? []
  const params = { deviceId: id }
  return (
    <Tabs label="Device">
      <Link to="/devices/$deviceId" params={params} {...asTab}>
        Overview
      </Link>
      <Link to="/devices/$deviceId/checks" params={params} {...asTab}>
        Checks <Count of={checks.data?.data} />
      </Link>
      <Link to="/devices/$deviceId/issues" params={params} {...asTab}>
        Issues <Count of={issues.data?.data} />
      </Link>
      <Link to="/devices/$deviceId/history" params={params} {...asTab}>
        State history
      </Link>
      <Link to="/devices/$deviceId/sign-ins" params={params} {...asTab}>
        Sign-ins
      </Link>
      {!without.includes('live_query') && (
        <Link to="/devices/$deviceId/live-queries" params={params} {...asTab}>
          Live queries
        </Link>
      )}
      {!without.includes('reporting') && (
        <Link to="/devices/$deviceId/inventory" params={params} {...asTab}>
          Inventory
        </Link>
      )}
      <Link to="/devices/$deviceId/audit" params={params} {...asTab}>
        Audit
      </Link>
    </Tabs>
  )
}

const Count = ({ of }: { of: readonly unknown[] | undefined }) =>
  of === undefined ? null : <span className="count">{of.length}</span>
