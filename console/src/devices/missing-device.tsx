import { Button } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Emptiness, LoadFailure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { fullTime } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

export function useRestore() {
  return useAction<string, Device>({
    act: (id) => api('restoreDevice', { params: { deviceId: id } }),
    refresh: ['devices', 'groups'],
    said: ({ name }) => `${visibleText(name)} restored`,
  })
}

/** There is no such device, or none anymore: what was deleted can be brought back for a while. */
export function MissingDevice({ deviceId }: { deviceId: string }) {
  const deleted = useQuery(query('getDeletedDevice', { params: { id: deviceId } }, { pace: 'usual' }))
  const restore = useRestore()
  const mayRestore = useMay('remove_devices')
  const all = (
    <Link className="underlined" to="/devices">
      All devices
    </Link>
  )
  if (deleted.isPending) return <SkeletonRows rows={2} />
  const isNowhere = deleted.error instanceof ApiError && deleted.error.status === 404
  if (!deleted.data && !isNowhere) return <LoadFailure what="What became of the device" query={deleted} />
  if (!deleted.data) return <Emptiness title={`There is no device ${deviceId}.`}>{all}</Emptiness>
  return (
    <Emptiness
      title={`${visibleText(deleted.data.name)} was deleted.`}
      action={
        mayRestore && (
          <Button loading={restore.isPending} onClick={() => restore.mutate(deviceId)}>
            Restore the device
          </Button>
        )
      }
    >
      Deleted <RelativeTime time={deleted.data.deleted_at} />; it can be restored until{' '}
      {fullTime(deleted.data.restorable_until)}. {all}
    </Emptiness>
  )
}
