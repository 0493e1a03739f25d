import { Button } from '@mantine/core'
import type { EnrolmentSecretView, NewEnrolmentSecret } from '@muster/contract/console-settings.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly rows: readonly EnrolmentSecretView[]
  readonly mayChange: boolean
  readonly onRotated: (secret: NewEnrolmentSecret) => void
}

export function EnrolmentSecretTable({ rows, mayChange, onRotated }: Parts) {
  const [rotated, setRotated] = useState<EnrolmentSecretView | undefined>()
  const [revoked, setRevoked] = useState<EnrolmentSecretView | undefined>()
  const refresh = [['settings']]
  const rotate = useAction({
    act: ({ id }: EnrolmentSecretView) =>
      request<NewEnrolmentSecret>(`/session/enrolment_secrets/${id}/rotate`, { method: 'POST' }),
    refresh,
    onDone: (made) => {
      setRotated(undefined)
      onRotated(made)
    },
  })
  const revoke = useAction({
    act: ({ id }: EnrolmentSecretView) => request(`/session/enrolment_secrets/${id}`, { method: 'DELETE' }),
    refresh,
    said: (_, { name }) => `${visibleText(name)} revoked`,
    onDone: () => setRevoked(undefined),
  })
  const stays = 'Machines that have enrolled stay enrolled.'
  return (
    <>
      <thead>
        <tr>
          <th>Secret</th>
          <th className="w-150">State</th>
          <th className="num w-96">Made</th>
          <th className="w-200">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="tall">
            <td className="c-name">
              <span className="m ell" title={visibleText(row.name)}>
                {visibleText(row.name)}
              </span>
              <span className="second ell">
                <Belongs row={row} />
              </span>
            </td>
            <td className={row.state === 'in_force' ? 'c-lead' : 'c-lead t3'}>
              <SecretState row={row} />
            </td>
            <td className="num t2 c-time">
              <RelativeTime time={row.created_at} />
            </td>
            <td className="c-sub">
              {mayChange && row.state === 'in_force' && (
                <span className="actions-cell">
                  {row.package_id === null && (
                    <Button aria-label={`Rotate ${visibleText(row.name)}…`} onClick={() => setRotated(row)}>
                      Rotate…
                    </Button>
                  )}
                  <Button aria-label={`Revoke ${visibleText(row.name)}…`} onClick={() => setRevoked(row)}>
                    Revoke…
                  </Button>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
      <ConfirmDialog
        isOpen={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        question={`Rotate ${visibleText(rotated?.name ?? '')}?`}
        consequences={['The secret that is in use lets no machine in any more. You get another one in its place.']}
        stays={stays}
        verb="Rotate the secret"
        onConfirm={() => rotated && rotate.mutate(rotated)}
        isBusy={rotate.isPending}
      />
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        question={`Revoke ${visibleText(revoked?.name ?? '')}?`}
        consequences={[
          'It lets no machine in any more, and cannot be brought back.',
          ...(revoked?.package_id == null
            ? []
            : ['Copies of its package enrol nothing until you make the package anew.']),
        ]}
        stays={stays}
        verb="Revoke the secret"
        onConfirm={() => revoked && revoke.mutate(revoked)}
        isBusy={revoke.isPending}
      />
    </>
  )
}

function Belongs({ row }: { row: EnrolmentSecretView }) {
  if (row.person) {
    return (
      <>
        For{' '}
        <Link className="u" to="/people/$personId" params={{ personId: row.person.id }}>
          {visibleText(row.person.name)}
        </Link>
      </>
    )
  }
  return <>{row.package_id === null ? 'For nobody in particular' : 'In a package'}</>
}

function SecretState({ row }: { row: EnrolmentSecretView }) {
  if (row.state === 'revoked') {
    return (
      <>
        Revoked <RelativeTime time={row.revoked_at} />
      </>
    )
  }
  if (row.expires_at === null) return <>In force</>
  return (
    <>
      {row.state === 'expired' ? 'Expired' : 'Until'} <RelativeTime time={row.expires_at} />
    </>
  )
}
