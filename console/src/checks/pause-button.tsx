import { Button } from '@mantine/core'
import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { Link } from '@tanstack/react-router'
import { request } from '../api/request.ts'
import { useSession } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

/** Pausing releases at once and can be undone; resuming may block, so it goes through the preview. */
export function PauseButton({ facts }: { facts: CheckFacts }) {
  const session = useSession()
  const pause = useAction<boolean>({
    act: (paused) => request(`/checks/${facts.id}/configurations`, { method: 'PATCH', body: { paused } }),
    refresh: [['checks']],
    said: (_answer, paused) => `${visibleText(facts.name)} ${paused ? 'is paused' : 'runs again'}`,
    undo: () => ({ label: 'Undo', run: () => undoPause.mutate() }),
  })
  const undoPause = useAction({
    act: () => request(`/checks/${facts.id}/configurations`, { method: 'PATCH', body: { paused: false } }),
    refresh: [['checks']],
    said: () => `${visibleText(facts.name)} runs again`,
  })
  if (!session?.permissions.includes('configure_checks')) return null
  if (facts.is_paused) {
    return (
      <Link
        to="/checks/$checkId/configuration"
        params={{ checkId: facts.id }}
        search={{ resume: '1' }}
        className="line-button"
      >
        Resume…
      </Link>
    )
  }
  return (
    <Button loading={pause.isPending} onClick={() => pause.mutate(true)}>
      Pause
    </Button>
  )
}
