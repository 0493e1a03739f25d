import { Button, Menu } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { Icon } from '../components/icon.tsx'
import { DeleteStream } from './delete-stream.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'
import { streamViewQuery } from './stream-queries.ts'
import { TestDialog } from './test-dialog.tsx'

type Opened = 'test' | 'replay' | 'pause' | 'disable' | 'delete'

/** What can be done with a stream, from each of its pages. */
export function StreamActions({ stream }: { stream: SsfStream }) {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const view = useQuery(streamViewQuery(stream.id)).data
  const status = view?.status ?? (stream.enabled ? 'enabled' : 'paused')
  const verify = useAction({
    act: () => request(`/ssf_streams/${stream.id}/verify`, { method: 'POST', body: {} }),
    refresh: [['streams']],
    said: () =>
      stream.delivery_type === 'push'
        ? 'A verification event is on its way'
        : 'A verification event waits to be polled',
  })
  const enable = useAction({
    act: () => request(`/ssf_streams/${stream.id}/status`, { method: 'POST', body: { status: 'enabled' } }),
    refresh: [['streams']],
    said: () => 'The stream is enabled; what waited is sent in its order',
  })
  return (
    <>
      {status === 'enabled' ? (
        <>
          <Button onClick={() => setOpened('test')} className="wide-only">
            Send test…
          </Button>
          <Button
            leftSection={<Icon name="shield" size={14} />}
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            Verify
          </Button>
        </>
      ) : (
        <Button variant="filled" loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this stream" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'enabled' && <Menu.Item onClick={() => setOpened('test')}>Send test…</Menu.Item>}
          <Menu.Item onClick={() => setOpened('replay')}>Replay from…</Menu.Item>
          <Menu.Divider />
          {status !== 'paused' && <Menu.Item onClick={() => setOpened('pause')}>Pause…</Menu.Item>}
          {status !== 'disabled' && <Menu.Item onClick={() => setOpened('disable')}>Disable…</Menu.Item>}
          <Menu.Item className="bad" onClick={() => setOpened('delete')}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <TestDialog stream={stream} isOpen={opened === 'test'} onClose={close} />
      <ReplayDialog streamId={stream.id} isOpen={opened === 'replay'} onClose={close} />
      <StatusDialog stream={stream} status="paused" isOpen={opened === 'pause'} onClose={close} />
      <StatusDialog stream={stream} status="disabled" isOpen={opened === 'disable'} onClose={close} />
      <DeleteStream stream={stream} waiting={view?.waiting ?? 0} isOpen={opened === 'delete'} onClose={close} />
    </>
  )
}
