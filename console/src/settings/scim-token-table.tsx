import { Button } from '@mantine/core'
import type { NewScimToken, ScimTokenView } from '@muster/contract/console-settings.ts'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly rows: readonly ScimTokenView[]
  readonly mayChange: boolean
  readonly isOff: boolean
  readonly onRotated: (token: NewScimToken) => void
}

export function ScimTokenTable({ rows, mayChange, isOff, onRotated }: Parts) {
  const [rotated, setRotated] = useState<ScimTokenView | undefined>()
  const [revoked, setRevoked] = useState<ScimTokenView | undefined>()
  const refresh = [['settings']]
  const rotate = useAction({
    act: ({ id }: ScimTokenView) => request<NewScimToken>(`/session/scim_tokens/${id}/rotate`, { method: 'POST' }),
    refresh,
    onDone: (made) => {
      setRotated(undefined)
      onRotated(made)
    },
  })
  const revoke = useAction({
    act: ({ id }: ScimTokenView) => request(`/session/scim_tokens/${id}`, { method: 'DELETE' }),
    refresh,
    said: (_, { name }) => `${visibleText(name)} revoked`,
    onDone: () => setRevoked(undefined),
  })
  const stays = 'People and groups stay as they are.'
  return (
    <>
      <thead>
        <tr>
          <th>Token</th>
          <th className="num w-96">Made</th>
          <th className="num w-120">Last used</th>
          <th className="w-200">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td className="c-name">
              <span className="m ell" title={visibleText(row.name)}>
                {visibleText(row.name)}
              </span>
            </td>
            <td className="num t2 c-more">
              <RelativeTime time={row.created_at} />
            </td>
            <td className="num t2 c-lead">
              <RelativeTime time={row.last_used_at} missing="never" />
            </td>
            <td className="c-sub">
              {mayChange && (
                <span className="actions-cell">
                  {!isOff && (
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
        consequences={['The identity provider is refused until it has the new token.']}
        stays={stays}
        verb="Rotate the token"
        onConfirm={() => rotated && rotate.mutate(rotated)}
        isBusy={rotate.isPending}
      />
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        question={`Revoke ${visibleText(revoked?.name ?? '')}?`}
        consequences={['The identity provider is refused: who leaves there is not deprovisioned here any more.']}
        stays={stays}
        verb="Revoke the token"
        onConfirm={() => revoked && revoke.mutate(revoked)}
        isBusy={revoke.isPending}
      />
    </>
  )
}
