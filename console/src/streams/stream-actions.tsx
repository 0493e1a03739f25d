import { Button, Menu } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useNavigate } from '@tanstack/react-router'
import { forget } from '../api/query.ts'
import { Icon } from '../components/icon.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { useStreamVerbs } from './stream-verbs.tsx'

/** At the top of each page of a stream. */
export function StreamActions({ stream }: { stream: SsfStream }) {
  const navigate = useNavigate()
  const { verbs, dialogs } = useStreamVerbs(stream, () => {
    void navigate({ to: '/settings/developers/streams' })
    forget('streams')
  })
  const { test, verify, enable, replay, pause, disable } = verbs
  return (
    <>
      {test && (
        <Button onClick={test.run} className="wide-only">
          {test.text}
        </Button>
      )}
      {verify && (
        <Button leftSection={<Icon name="shield" size={14} />} loading={verify.isBusy ?? false} onClick={verify.run}>
          {verify.text}
        </Button>
      )}
      {enable && (
        <Button variant="filled" loading={enable.isBusy ?? false} onClick={enable.run}>
          {enable.text}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this stream" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <VerbItems verbs={[test, replay]} />
          <Menu.Divider />
          <VerbItems verbs={[pause, disable, verbs.delete]} />
        </Menu.Dropdown>
      </Menu>
      {dialogs}
    </>
  )
}
