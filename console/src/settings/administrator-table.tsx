import type { AdministratorView } from '@muster/contract/console-settings.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { relativeTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { rightsInWords } from './access-words.ts'

export const nameOf = ({ first_name: first, last_name: last }: { first_name: string; last_name: string }): string =>
  visibleText(`${first} ${last}`.trim())

const factorWords: Readonly<Record<AdministratorView['second_factor'], string>> = {
  none: 'Password only',
  totp: 'Password and app',
  passkey: 'Passkey',
  both: 'Passkey, or password and app',
}

export const AdministratorTable = ({ rows }: { rows: readonly AdministratorView[] }) => (
  <>
    <thead>
      <tr>
        <th>Administrator</th>
        <th className="w-200">Access</th>
        <th className="w-240">Signs in with</th>
        <th className="numeric w-120">Last seen</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id} className="tall">
          <td className="c-name">
            <Link
              to="/settings/admins/$administratorId"
              params={{ administratorId: row.id }}
              className="medium ellipsis"
              data-row-link
              title={nameOf(row)}
            >
              {nameOf(row)}
            </Link>
            <span className="second ellipsis" title={visibleText(row.email)}>
              {visibleText(row.email)}
            </span>
          </td>
          <td className="c-lead">{rightsInWords(row)}</td>
          <td className="c-sub">
            <SignsIn row={row} />
          </td>
          <td className="numeric secondary c-time">
            <RelativeTime time={row.last_seen_at} missing="Never" />
          </td>
        </tr>
      ))}
    </tbody>
  </>
)

function SignsIn({ row }: { row: AdministratorView }) {
  const now = useNow()
  if (row.deprovisioned_person_id !== null) {
    return (
      <span className="delivery">
        <Mark name="cross" />
        Deprovisioned: cannot sign in
      </span>
    )
  }
  if (row.second_factor !== 'none') return <>{factorWords[row.second_factor]}</>
  if (row.has_identity) return <>Identity provider</>
  if (row.has_password) {
    return (
      <span className="delivery">
        <Mark name="warning" />
        {factorWords.none}
      </span>
    )
  }
  const isInvited = row.link_expires_at !== null
  return (
    <span className="secondary">
      {isInvited ? `Invited; the link ends ${relativeTime(row.link_expires_at ?? '', now)}` : 'Has not signed in yet'}
    </span>
  )
}
