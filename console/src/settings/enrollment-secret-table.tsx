import type { EnrollmentSecretView, NewEnrollmentSecret } from '@muster/contract/console-settings.ts'
import { Link } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { SecretActions } from './secret-actions.tsx'

type Parts = {
  readonly rows: readonly EnrollmentSecretView[]
  readonly mayChange: boolean
  readonly onRotated: (secret: NewEnrollmentSecret) => void
}

export function EnrollmentSecretTable({ rows, mayChange, onRotated }: Parts) {
  return (
    <>
      <thead>
        <tr>
          <th>Secret</th>
          <th className="w-150">State</th>
          <th className="numeric w-96">Created</th>
          <th className="w-200">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="tall">
            <td className="c-name">
              <span className="medium ellipsis" title={visibleText(row.name)}>
                {visibleText(row.name)}
              </span>
              <span className="second ellipsis">
                <Belongs row={row} />
              </span>
            </td>
            <td className={row.state === 'in_force' ? 'c-lead' : 'c-lead faint'}>
              <SecretState row={row} />
            </td>
            <td className="numeric secondary c-time">
              <RelativeTime time={row.created_at} />
            </td>
            <td className="c-sub">
              {mayChange && row.state === 'in_force' && (
                <SecretActions
                  kind="secret"
                  name={row.name}
                  rotate={() => api('rotateEnrollmentSecret', { params: { id: row.id } })}
                  revoke={() => api('revokeEnrollmentSecret', { params: { id: row.id } })}
                  mayRotate={row.package_id === null}
                  ifRotated={['The current secret stops working. You get a new one.']}
                  ifRevoked={[
                    'No more machines can enroll with it. This cannot be undone.',
                    ...(row.package_id === null
                      ? []
                      : ['Copies of its package stop working until you rebuild the package.']),
                  ]}
                  stays="Enrolled machines stay enrolled."
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

function Belongs({ row }: { row: EnrollmentSecretView }) {
  if (row.person) {
    return (
      <>
        For{' '}
        <Link className="underlined" to="/people/$personId" params={{ personId: row.person.id }}>
          {visibleText(row.person.name)}
        </Link>
      </>
    )
  }
  return <>{row.package_id === null ? 'Anyone' : 'In a package'}</>
}

function SecretState({ row }: { row: EnrollmentSecretView }) {
  if (row.state === 'revoked') {
    return (
      <>
        Revoked <RelativeTime time={row.revoked_at} />
      </>
    )
  }
  if (row.expires_at === null) return <>Active</>
  return (
    <>
      {row.state === 'expired' ? 'Expired' : 'Until'} <RelativeTime time={row.expires_at} />
    </>
  )
}
