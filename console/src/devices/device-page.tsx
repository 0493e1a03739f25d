import { Button } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useSession } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { useNow } from '../components/relative-time.tsx'
import { StatePill } from '../components/state-shape.tsx'
import { deadlineOf, relativeTime, spanOf } from '../components/times.ts'
import { toast } from '../components/toasts.tsx'
import { visibleText } from '../components/visible-text.ts'
import { areLettersOn } from '../shell/letters.ts'
import { Page } from '../shell/page.tsx'
import { CheckResults } from './check-results.tsx'
import { deviceStanding, ownerIdOf } from './device-facts.ts'
import { deviceQuery, ownerQuery } from './device-queries.ts'
import { FactsRail } from './facts-rail.tsx'
import { OpenIssues } from './open-issues.tsx'
import { refreshChecks } from './refresh-checks.ts'

const route = getRouteApi('/shell/devices/$deviceId')
const crumb = { to: '/devices', text: 'Devices' } as const

export function DevicePage() {
  const { deviceId } = route.useParams()
  const device = useQuery(deviceQuery(deviceId))
  if (device.data) return <LoadedDevice key={deviceId} device={device.data} />
  const isMissing = device.error instanceof ApiError && device.error.status === 404
  return (
    <Page title={isMissing ? 'No such device' : 'Device'} crumb={crumb}>
      <div className="page">
        {isMissing && (
          <Emptiness title={`There is no device ${deviceId}.`}>
            It may have been deleted.{' '}
            <Link className="u" to="/devices">
              All devices
            </Link>
          </Emptiness>
        )}
        {device.isError && !isMissing && (
          <Failure what="The device could not be loaded." error={device.error} onRetry={() => void device.refetch()} />
        )}
        {device.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}

function LoadedDevice({ device }: { device: Device }) {
  const now = useNow()
  const owner = useQuery(ownerQuery(ownerIdOf(device)))
  const name = visibleText(device.name)
  const standing = deviceStanding(device, now)
  const suffix = standing === 'will_block' && device.will_block_at ? ` ${relativeTime(device.will_block_at, now)}` : ''
  const silence =
    standing === 'stale' && device.last_seen_at ? `, ${spanOf(now - new Date(device.last_seen_at).getTime())}` : ''
  const ownerName = owner.data ? visibleText(owner.data.name) : undefined
  return (
    <Page title={name} crumb={crumb} hasOwnTitle actions={<RefreshButton deviceId={device.id} />}>
      <div className="page detail">
        <div className="title-row">
          <h1 tabIndex={-1} className="ell" title={name}>
            {name}
          </h1>
          <StatePill standing={standing} suffix={suffix + silence} />
        </div>
        <p className="t2">{consequenceOf(device, standing, ownerName ?? 'Its owner', now)}</p>
        <div className="columns">
          <div className="stack main-column">
            <OpenIssues deviceId={device.id} />
            <CheckResults deviceId={device.id} />
          </div>
          <FactsRail device={device} owner={owner.data} />
        </div>
      </div>
    </Page>
  )
}

function consequenceOf(device: Device, standing: ReturnType<typeof deviceStanding>, owner: string, now: number) {
  if (standing === 'never') return 'Enrolled; it has not spoken to the service yet.'
  if (standing === 'stale') return 'Not heard of for 7 days or more. What is shown is from before.'
  if (ownerIdOf(device) === undefined) {
    return 'Nobody owns this device; it cannot be used to sign in and is never blocked.'
  }
  if (standing === 'blocked') return `${owner} cannot sign in with this device until what blocks it is put right.`
  if (standing === 'will_block' && device.will_block_at) {
    return (
      <>
        {owner} cannot sign in with this device from <b className="m">{deadlineOf(device.will_block_at, now)} UTC</b>{' '}
        unless the failure is fixed, exempted or snoozed.
      </>
    )
  }
  if (standing === 'notified') return 'Its open issues are shown at sign-in; none blocks.'
  return `${owner} can sign in with this device.`
}

function RefreshButton({ deviceId }: { deviceId: string }) {
  const session = useSession()
  const refresh = useMutation({
    mutationFn: () => refreshChecks([deviceId]),
    onSuccess: ({ asked }) =>
      toast(
        asked === 0 ? 'No check is failing, so none runs again' : `${asked} failing checks run at the next check-in`,
      ),
    onError: (error) => toast(error.message, 'cross'),
  })
  const mayRefresh = session?.permissions.includes('refresh_check') ?? false
  const { mutate } = refresh
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isInField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (event.key !== 'r' || event.ctrlKey || event.metaKey || event.altKey || isInField || !mayRefresh) return
      if (areLettersOn() && !document.querySelector('[role="dialog"]')) mutate()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [mayRefresh, mutate])
  if (!mayRefresh) return null
  return (
    <Button leftSection={<Icon name="refresh" size={14} />} loading={refresh.isPending} onClick={() => mutate()}>
      Refresh failing checks <kbd>R</kbd>
    </Button>
  )
}
