import { Button } from '@mantine/core'
import type { CheckResult } from '@muster/contract/check-results.ts'
import { api } from '../api/api.ts'
import { Icon } from '../components/icon.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

/** Has one check run again on the device at its next check-in. */
export function RefreshCheck({ deviceId, result }: { deviceId: string; result: CheckResult }) {
  const name = visibleText(result.check_name)
  const refresh = useAction({
    act: () => api('createCheckRefresh', { params: { deviceId }, body: { check_id: result.check_id } }),
    refresh: ['listCheckResultsOfDevice'],
    said: () => `${name} runs at the next check-in`,
  })
  return (
    <div className="result-actions">
      <Button
        leftSection={<Icon name="refresh" size={14} />}
        loading={refresh.isPending}
        onClick={() => refresh.mutate()}
      >
        Run again<span className="hidden"> {name}</span>
      </Button>
    </div>
  )
}
