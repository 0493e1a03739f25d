import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { useAction } from '../components/use-action.ts'
import type { Verb } from '../components/verbs.tsx'
import { DeleteStream } from './delete-stream.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'
import { streamViewQuery } from './stream-queries.ts'
import { TestDialog } from './test-dialog.tsx'

type Opened = 'test' | 'replay' | 'pause' | 'disable' | 'delete'
type Name = 'test' | 'verify' | 'enable' | 'replay' | 'pause' | 'disable' | 'delete'
type StreamVerbs = { readonly verbs: Readonly<Record<Name, Verb | false>>; readonly dialogs: ReactNode }

/** What can be done with a stream, from each of its pages and from its row. */
export function useStreamVerbs(stream: SsfStream, onDeleted: () => void): StreamVerbs {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const view = useQuery(streamViewQuery(stream.id)).data
  const status = view?.status ?? (stream.enabled ? 'enabled' : 'paused')
  const isEnabled = status === 'enabled'
  const { verify, enable } = useAtOnce(stream)
  const asked = (text: string, name: Opened): Verb => ({ text, run: () => setOpened(name) })
  const at = (name: Opened) => ({ isOpen: opened === name, onClose: close })
  return {
    verbs: {
      test: isEnabled && asked('Send test…', 'test'),
      verify: isEnabled && { text: 'Verify', run: () => verify.mutate(), isBusy: verify.isPending },
      enable: !isEnabled && { text: 'Enable', run: () => enable.mutate(), isBusy: enable.isPending },
      replay: asked('Replay from…', 'replay'),
      pause: status !== 'paused' && asked('Pause…', 'pause'),
      disable: status !== 'disabled' && asked('Disable…', 'disable'),
      delete: { ...asked('Delete…', 'delete'), isDangerous: true },
    },
    dialogs: (
      <>
        <TestDialog stream={stream} {...at('test')} />
        <ReplayDialog streamId={stream.id} {...at('replay')} />
        <StatusDialog stream={stream} status="paused" {...at('pause')} />
        <StatusDialog stream={stream} status="disabled" {...at('disable')} />
        <DeleteStream stream={stream} waiting={view?.waiting} onDeleted={onDeleted} {...at('delete')} />
      </>
    ),
  }
}

function useAtOnce({ id, delivery_type: type }: SsfStream) {
  const verify = useAction({
    act: () => api('askSsfVerification', { params: { streamId: id }, body: {} }),
    refresh: ['streams'],
    said: () => (type === 'push' ? 'Verification event sent' : 'A verification event waits to be polled'),
  })
  const enable = useAction({
    act: () => api('changeSsfStreamStatus', { params: { streamId: id }, body: { status: 'enabled' } }),
    refresh: ['streams'],
    said: () => 'Stream enabled; waiting events are sent in order',
  })
  return { verify, enable }
}
