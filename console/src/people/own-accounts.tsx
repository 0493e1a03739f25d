import { Button } from '@mantine/core'
import type { Person } from '@muster/contract/people.ts'
import type { PersonIdentity } from '@muster/contract/person-identities.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly person: Pick<Person, 'id' | 'name' | 'email'> }

/** The accounts at identity providers that are the person's. Few people have any. */
export function OwnAccounts({ person }: Parts) {
  const accounts = useQuery(query('listPersonIdentities', { params: { id: person.id } }))
  const mayForget = useMay('manage_sign_in')
  const rows = accounts.data?.data ?? []
  if (rows.length === 0 && (accounts.data !== undefined || !accounts.isError)) return null
  return (
    <section aria-labelledby="own-accounts" className="section">
      <div className="section-head">
        <h2 id="own-accounts">Sign-in accounts</h2>
        {mayForget && rows.length > 0 && <Forgetting person={person} />}
      </div>
      <LoadFailure what="The sign-in accounts" query={accounts} />
      {rows.length > 0 && <AccountTable rows={rows} />}
    </section>
  )
}

const AccountTable = ({ rows }: { rows: readonly PersonIdentity[] }) => (
  <Scroller name="Sign-in accounts">
    <table className="table record-table">
      <thead>
        <tr>
          <th>Identity provider</th>
          <th>Through</th>
          <th className="numeric w-96">Since</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one provider can have several accounts of a person, all read at once
          <tr key={index}>
            <td className="c-name">
              <span className="medium ellipsis" title={visibleText(row.issuer)}>
                {visibleText(hostOf(row.issuer))}
              </span>
            </td>
            <td className="c-lead">
              <span className="ellipsis">{visibleText(row.connection_name)}</span>
            </td>
            <td className="numeric secondary c-time">
              <RelativeTime time={row.bound_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
)

const hostOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer)

function Forgetting({ person }: Parts) {
  const [isAsked, setAsked] = useState(false)
  const [name, address] = [visibleText(person.name), visibleText(person.email)]
  const forget = useAction({
    act: () => api('forgetPersonIdentities', { params: { id: person.id } }),
    refresh: ['listPersonIdentities', 'audit'],
    said: () => `The accounts of ${name} are forgotten`,
    onDone: () => setAsked(false),
  })
  return (
    <>
      <Button onClick={() => setAsked(true)}>Forget accounts…</Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        question={`Forget the accounts of ${name}?`}
        consequences={[`The next account that signs in with ${address} is bound to ${name}.`]}
        stays={`The devices and sign-ins of ${name} stay.`}
        verb="Forget the accounts"
        onConfirm={forget.mutate}
        isBusy={forget.isPending}
      />
    </>
  )
}
