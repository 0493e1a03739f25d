import { Button } from '@mantine/core'
import type { SignInState } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../api/account-query.ts'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { SessionTable } from '../components/session-table.tsx'
import { useAction } from '../components/use-action.ts'
import { AccountFrame } from './account-frame.tsx'

export function SessionsPage() {
  const account = useQuery(accountQuery)
  const [isAsking, setIsAsking] = useState(false)
  const refresh = ['account'] as const
  const end = useAction({
    act: ({ id }: SignInState['sessions'][number]) => api('endSession', { params: { id } }),
    refresh,
    said: () => 'Session ended',
  })
  const endOthers = useAction({
    act: () => api('endOtherSessions'),
    refresh,
    said: () => 'Your other sessions have ended',
    onDone: () => setIsAsking(false),
  })
  const sessions = account.data?.sessions ?? []
  const others = sessions.filter((session) => !session.is_current).length
  const otherSessions = others === 1 ? 'the other session' : `the ${others} other sessions`
  return (
    <AccountFrame
      title="Sessions"
      lead="Where you are signed in. A session ends after 30 minutes without a request, and 12 hours after it began."
      isWide
    >
      {account.isError && (
        <Failure what="Sessions could not be loaded." error={account.error} onRetry={() => void account.refetch()} />
      )}
      {account.isPending && <SkeletonRows rows={3} />}
      {account.data && (
        <Block
          title={others === 0 ? 'This session is the only one' : `${sessions.length} sessions`}
          action={others > 0 && <Button onClick={() => setIsAsking(true)}>End {otherSessions}…</Button>}
        >
          <SessionTable sessions={sessions} onEnd={(session) => end.mutate(session)} />
        </Block>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={`End ${otherSessions}?`}
        consequences={['Anyone using them has to sign in again at the next click.']}
        stays="This session continues."
        verb={`End ${otherSessions}`}
        onConfirm={() => endOthers.mutate()}
        isBusy={endOthers.isPending}
      />
    </AccountFrame>
  )
}
