import { Button } from '@mantine/core'
import type { OwnerIssues } from '@muster/contract/console-issues.ts'
import { maxWrittenAtOnce } from '@muster/contract/console-values.ts'
import { api } from '../api/api.ts'
import { copyText } from '../components/copy-text.ts'
import { useNow } from '../components/relative-time.tsx'
import type { Selection } from '../components/selection.ts'
import { toast } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'
import { ownerMessages } from '../issues/owner-message.ts'
import { chosenIds } from './chosen-ids.ts'
import type { DeviceFilters } from './device-filters.ts'

/** More is no text that someone reads through before it is sent. */
const maxDevices = 200

type Parts = { readonly selection: Selection; readonly filters: DeviceFilters; readonly size: number }

type Told = OwnerIssues['data'][number]

/** One request renders only so much: those whose texts it has left out are asked for again. */
async function readWhole(deviceIds: readonly string[]): Promise<Told[]> {
  const devices: Told[] = []
  for (let ids = deviceIds; ids.length > 0; ) {
    const { data } = await api('listOwnerIssues', { query: { device_ids: ids.join() } })
    const cut = data.findIndex(({ issues }, index) => index > 0 && issues.some((issue) => issue.texts_left_out))
    const whole = cut === -1 ? data : data.slice(0, cut)
    devices.push(...whole)
    const next = data[whole.length]?.issues[0]?.device.id
    ids = next === undefined ? [] : ids.slice(ids.indexOf(next))
  }
  return devices
}

/** What the owners of the chosen devices read at sign-in, to send by mail or chat. */
export function CopyMessages({ selection, filters, size }: Parts) {
  const now = useNow()
  const copy = useAction({
    act: async () => {
      const walk = { selection, filters, signal: new AbortController().signal, onProgress: () => {} }
      const devices: Told[] = []
      for await (const ids of chosenIds(walk, maxWrittenAtOnce)) {
        devices.push(...(await readWhole(ids)))
      }
      if (devices.length === 0) return toast('No owner of these devices has anything to fix', 'warning')
      const name = devices.length === 1 ? '1 message' : `${devices.length} messages`
      await copyText(ownerMessages(devices, now), name)
    },
  })
  if (size > maxDevices) return null
  return (
    <Button loading={copy.isPending} onClick={() => copy.mutate()}>
      Copy as messages
    </Button>
  )
}
