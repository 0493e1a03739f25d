import { Button } from '@mantine/core'
import type { Twins } from '@muster/contract/console-merges.ts'
import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { MergeDialog } from './merge-dialog.tsx'

type Twin = Twins['data'][number]

/** Other records with the hardware identity of a device, and the way to make one of them. */
export function TwinNotes({ device }: { readonly device: Device }) {
  const twins = useQuery(query('listTwinsOfDevice', { params: { deviceId: device.id } }))
  return (
    <>
      <LoadFailure what="Other devices of the same machine" query={twins} />
      {twins.data?.data.map((twin) => (
        <TwinNote key={twin.id} device={device} twin={twin} />
      ))}
    </>
  )
}

function TwinNote({ device, twin }: { readonly device: Device; readonly twin: Twin }) {
  const [isMerging, setMerging] = useState(false)
  const mayMerge = useMay('remove_devices')
  const { serial, hardware_uuid: uuid } = twin.same
  const alike = serial && uuid ? 'serial and hardware UUID' : serial ? 'serial' : 'hardware UUID'
  return (
    <section className="note will identity-note" aria-label="Same machine">
      <p>
        <b className="medium">
          <Link className="underlined" to="/devices/$deviceId" params={{ deviceId: twin.id }}>
            {visibleText(twin.name)}
          </Link>{' '}
          (device {twin.id}) has the same {alike}.
        </b>{' '}
        It was last seen <RelativeTime time={twin.last_seen_at} missing="never" />. If both are one machine, merge them.
      </p>
      {mayMerge && <Button onClick={() => setMerging(true)}>Merge…</Button>}
      {isMerging && <MergeDialog device={device} otherId={twin.id} onClose={() => setMerging(false)} />}
    </section>
  )
}
