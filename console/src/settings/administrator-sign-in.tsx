import { Button } from '@mantine/core'
import type { AdminUser } from '@muster/contract/admin-users.ts'
import type { AdministratorLink, SignInState } from '@muster/contract/console.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { nameOf } from './administrator-table.tsx'
import { LinkDialog } from './link-dialog.tsx'

type Parts = { readonly admin: AdminUser; readonly state: SignInState; readonly isSelf: boolean }

export function AdministratorSignIn({ admin, state, isSelf }: Parts) {
  const [isAsking, setIsAsking] = useState(false)
  const [link, setLink] = useState<AdministratorLink | undefined>()
  const make = useAction({
    act: (purpose: 'invite' | 'reset') =>
      api(purpose === 'invite' ? 'renewInvitation' : 'resetAdministrator', { params: { id: admin.id } }),
    refresh: ['settings'],
    onDone: (made) => {
      setIsAsking(false)
      setLink(made)
    },
  })
  const isIn = state.password_changed_at !== null || state.passkeys.length > 0
  const passkeys = state.passkeys.length
  return (
    <Block
      title="How they sign in"
      {...(state.deprovisioned_person_id !== null && { about: <Deprovisioned id={state.deprovisioned_person_id} /> })}
      action={
        state.deprovisioned_person_id === null &&
        (isSelf ? (
          <Link className="underlined" to="/account/security">
            Your account
          </Link>
        ) : (
          <span className="row">
            {!isIn && (
              <Button onClick={() => make.mutate('invite')} loading={make.isPending}>
                Create another invitation
              </Button>
            )}
            <Button onClick={() => setIsAsking(true)}>Reset…</Button>
          </span>
        ))
      }
    >
      <dl className="facts-table">
        <dt>Password</dt>
        <dd>
          {state.password_changed_at === null ? (
            'None'
          ) : (
            <>
              Chosen <RelativeTime time={state.password_changed_at} />
            </>
          )}
        </dd>
        <dt>Passkeys</dt>
        <dd>{passkeys === 0 ? 'None' : passkeys}</dd>
        <dt>Authenticator app</dt>
        <dd>
          {state.totp_enabled_at === null ? (
            'None'
          ) : (
            <>
              Since <RelativeTime time={state.totp_enabled_at} />
            </>
          )}
        </dd>
        <dt>Recovery codes left</dt>
        <dd>{state.recovery_codes_left}</dd>
      </dl>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={`Reset how ${nameOf(admin)} signs in?`}
        consequences={[
          'Password, passkeys, authenticator app, recovery codes and the link to the identity provider are removed.',
          state.sessions.length === 0 ? 'No session is open.' : `${sessionsOf(state.sessions.length)} immediately.`,
          'You get a one-time link to share with them.',
        ]}
        stays="Their permissions stay."
        verb="Reset and create link"
        onConfirm={() => make.mutate('reset')}
        isBusy={make.isPending}
      />
      <LinkDialog link={link} onClose={() => setLink(undefined)} />
    </Block>
  )
}

const Deprovisioned = ({ id }: { readonly id: string }) => (
  <>
    They are{' '}
    <Link className="underlined" to="/people/$personId" params={{ personId: id }}>
      deprovisioned as a person
    </Link>{' '}
    and cannot sign in to the console until they are restored.
  </>
)

const sessionsOf = (count: number): string => (count === 1 ? '1 session ends' : `${count} sessions end`)
