import { Button } from '@mantine/core'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { mayDoWithoutPkce } from '@muster/contract/request-refusals.ts'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import {
  lacksKeys,
  modeMeaning,
  modeOf,
  modeWords,
  pausedUntil,
  refusedTitle,
  standingRefusal,
} from './connection-words.ts'
import { PauseDialog } from './pause-dialog.tsx'
import { ReadinessDialog } from './readiness-dialog.tsx'
import { WithConnection } from './with-connection.tsx'

const route = getRouteApi('/shell/connections/$connectionId')

/** What a connection does with devices, and the way to another mode. */
export function ConnectionPage() {
  const { connectionId } = route.useParams()
  return (
    <WithConnection id={connectionId}>
      {(connection) => (
        <>
          <Refusal connection={connection} />
          <Mode connection={connection} />
        </>
      )}
    </WithConnection>
  )
}

type Parts = { readonly connection: SignInConnectionView }

/** Why the application cannot sign anyone in as it is set up, and what to do about it. */
function Refusal({ connection }: Parts) {
  const may = useMay('manage_sign_in')
  const refusal = standingRefusal(connection)
  if (!refusal) return null
  const mayTurnPkceOff = may && refusal.reason === 'pkce_missing' && mayDoWithoutPkce(connection)
  return (
    <p className="note will">
      <span>
        A request was refused <RelativeTime time={refusal.refused_at} />. {refusal.what}. {refusal.advice}
        {mayTurnPkceOff && (
          <>
            , or turn “Require PKCE” off under{' '}
            <Link
              className="underlined"
              to="/connections/$connectionId/settings"
              params={{ connectionId: connection.id }}
            >
              Settings
            </Link>
          </>
        )}
        .
      </span>
    </p>
  )
}

function Mode({ connection }: Parts) {
  const { mode } = connection
  const may = useMay('manage_sign_in')
  const [opened, setOpened] = useState<'report' | 'disable' | 'pause'>()
  const set = useAction({
    act: (wanted: 'observe' | 'disabled') =>
      api('changeSignInConnection', { params: { id: connection.id }, body: { mode: wanted } }),
    refresh: ['connections'],
    said: (_, wanted) => `“${visibleText(connection.name)}”: ${modeWords[wanted].toLowerCase()} from now on`,
    onDone: () => setOpened(undefined),
  })
  const resume = useAction({
    act: () => api('resumeSignInConnection', { params: { id: connection.id } }),
    refresh: ['connections', 'audit'],
    said: () => `“${visibleText(connection.name)}” enforces again`,
  })
  const test = useAction({
    act: () => api('testSignInConnection', { params: { id: connection.id } }),
    refresh: [],
    onDone: ({ page_url: page }) => location.assign(page),
  })
  const isPaused = pausedUntil(connection) !== null
  const isKeyless = lacksKeys(connection)
  return (
    <>
      <section className="form-section">
        <h2>{modeOf(connection)}</h2>
        {isPaused && (
          <p className="secondary">
            Known people get in without the check. It enforces again <RelativeTime time={connection.paused_until} />.
            Reason: {visibleText(connection.pause_reason ?? '')}
          </p>
        )}
        {!isPaused && <p className="secondary">{modeMeaning[mode]}</p>}
        <div className="form-ends">
          {!isKeyless && (
            <Button variant={mode === 'enforce' ? 'default' : 'filled'} onClick={() => setOpened('report')}>
              {mode === 'enforce' || !may ? refusedTitle(connection) : 'Enforce…'}
            </Button>
          )}
          {may && isKeyless && (
            <Link
              className="underlined"
              to="/connections/$connectionId/settings"
              params={{ connectionId: connection.id }}
            >
              Add its public keys
            </Link>
          )}
          {may && mode !== 'observe' && !isKeyless && (
            <Button loading={set.isPending && set.variables === 'observe'} onClick={() => set.mutate('observe')}>
              Observe
            </Button>
          )}
          {may && connection.upstream_id !== null && (
            <Button loading={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
          )}
          {may && mode === 'enforce' && !isPaused && <Button onClick={() => setOpened('pause')}>Pause…</Button>}
          {may && isPaused && (
            <Button loading={resume.isPending} onClick={() => resume.mutate()}>
              End the pause
            </Button>
          )}
          {may && mode !== 'disabled' && <Button onClick={() => setOpened('disable')}>Disable…</Button>}
          <Link className="underlined" to="/sign-ins" search={{ connection: connection.id }}>
            Sign-in log
          </Link>
        </div>
      </section>
      {opened === 'report' && <ReadinessDialog connection={connection} onClose={() => setOpened(undefined)} />}
      <PauseDialog connection={connection} isOpen={opened === 'pause'} onClose={() => setOpened(undefined)} />
      <ConfirmDialog
        isOpen={opened === 'disable'}
        onClose={() => setOpened(undefined)}
        question={`Disable “${visibleText(connection.name)}”?`}
        consequences={['Every request is refused: no one signs in through this connection.']}
        stays="Its client ID, secret and settings stay. To enforce again, the readiness report is asked for."
        verb="Disable the connection"
        onConfirm={() => set.mutate('disabled')}
        isBusy={set.isPending}
      />
    </>
  )
}
