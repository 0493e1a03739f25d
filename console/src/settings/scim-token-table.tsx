import type { NewScimToken, ScimTokenView } from '@muster/contract/console-settings.ts'
import { api } from '../api/api.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { SecretActions } from './secret-actions.tsx'

type Parts = {
  readonly rows: readonly ScimTokenView[]
  readonly mayChange: boolean
  readonly isOff: boolean
  readonly onRotated: (token: NewScimToken) => void
}

export function ScimTokenTable({ rows, mayChange, isOff, onRotated }: Parts) {
  return (
    <>
      <thead>
        <tr>
          <th>Token</th>
          <th className="numeric w-96">Created</th>
          <th className="numeric w-120">Last used</th>
          <th className="w-200">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td className="c-name">
              <span className="medium ellipsis" title={visibleText(row.name)}>
                {visibleText(row.name)}
              </span>
            </td>
            <td className="numeric secondary c-more">
              <RelativeTime time={row.created_at} />
            </td>
            <td className="numeric secondary c-lead">
              <RelativeTime time={row.last_used_at} missing="never" />
            </td>
            <td className="c-sub">
              {mayChange && (
                <SecretActions
                  kind="token"
                  name={row.name}
                  rotate={() => api('rotateScimToken', { params: { id: row.id } })}
                  revoke={() => api('revokeScimToken', { params: { id: row.id } })}
                  mayRotate={!isOff}
                  ifRotated={['The identity provider is refused until it has the new token.']}
                  ifRevoked={[
                    'The identity provider is refused: people who leave there are no longer deprovisioned here.',
                  ]}
                  stays="People and groups stay as they are."
                  onRotated={onRotated}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </>
  )
}
