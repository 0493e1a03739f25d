import { Button } from '@mantine/core'
import type { BypassCodeView, NewBypassCode } from '@muster/contract/sign-in-exceptions.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { ListBody } from '../components/list-body.tsx'
import { NewSecretDialog } from '../components/new-secret-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { CodeDialog } from './code-dialog.tsx'

const shown = 5

type Parts = { readonly personId: string; readonly name: string }

/** The codes that let the person in without the check of their device. */
export function OwnCodes({ personId, name }: Parts) {
  const list = useQuery(query('listBypassCodes', { query: { person_id: personId, per_page: shown } }))
  const [isAsked, setAsked] = useState(false)
  const [made, setMade] = useState<NewBypassCode | undefined>()
  const mayGive = useMay('bypass_sign_in')
  if (!mayGive && list.data?.data.length === 0) return null
  return (
    <section aria-labelledby="own-codes" className="section">
      <div className="section-head">
        <h2 id="own-codes">Sign-in codes</h2>
        {mayGive && <Button onClick={() => setAsked(true)}>Give a code…</Button>}
      </div>
      <ListBody
        isInset
        list={list}
        name="Sign-in codes"
        empty={<p className="secondary">No codes. A code lets {name} in once without the check of a device.</p>}
      >
        {(rows) => <CodeTable rows={rows} mayWithdraw={mayGive} />}
      </ListBody>
      <CodeDialog
        isOpen={isAsked}
        personId={personId}
        name={name}
        onClose={() => setAsked(false)}
        onMade={(code) => {
          setAsked(false)
          setMade(code)
        }}
      />
      <NewSecretDialog
        title={`Read this code to ${name}`}
        label="Code"
        secret={made?.code}
        after="It is not shown again. The person enters it on the sign-in page: Get help, then Enter a code from IT."
        onClose={() => setMade(undefined)}
      />
    </section>
  )
}

const CodeTable = ({ rows, mayWithdraw }: { rows: readonly BypassCodeView[]; mayWithdraw: boolean }) => (
  <>
    <thead>
      <tr>
        <th>Opens</th>
        <th className="w-150">State</th>
        <th className="numeric w-96">Given</th>
        <th className="w-120">
          <span className="hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id} className="tall">
          <td className="c-name">
            <span className="medium ellipsis">{visibleText(row.connection_name)}</span>
            <span className="second ellipsis" title={visibleText(row.reason)}>
              {visibleText(row.reason)} · {visibleText(row.made_by)}
            </span>
          </td>
          <td className="c-lead">
            <CodeState row={row} />
          </td>
          <td className="numeric secondary c-time">
            <RelativeTime time={row.created_at} />
          </td>
          <td className="c-sub">{mayWithdraw && isOpen(row) && <Withdrawal row={row} />}</td>
        </tr>
      ))}
    </tbody>
  </>
)

const isOpen = ({ used_at: used, withdrawn_at: withdrawn, expires_at: end }: BypassCodeView): boolean =>
  used === null && withdrawn === null && Date.parse(end) > Date.now()

function CodeState({ row }: { row: BypassCodeView }) {
  const { used_at: used, withdrawn_at: withdrawn, expires_at: end } = row
  const [word, at] =
    used !== null
      ? ['Used', used]
      : withdrawn !== null
        ? ['Withdrawn', withdrawn]
        : [isOpen(row) ? 'Expires' : 'Expired', end]
  return (
    <span className={isOpen(row) ? '' : 'faint'}>
      {word} <RelativeTime time={at} />
    </span>
  )
}

function Withdrawal({ row }: { row: BypassCodeView }) {
  const [isAsked, setAsked] = useState(false)
  const withdraw = useAction({
    act: () => api('withdrawBypassCode', { params: { id: row.id } }),
    refresh: ['bypass_codes', 'audit'],
    said: () => 'Code withdrawn',
    onDone: () => setAsked(false),
  })
  return (
    <span className="actions-cell">
      <Button aria-label={`Withdraw the code for ${visibleText(row.connection_name)}…`} onClick={() => setAsked(true)}>
        Withdraw…
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        question="Withdraw this code?"
        consequences={['It opens nothing anymore. Give another one if it is still needed.']}
        stays="Sign-ins that it opened stay."
        verb="Withdraw the code"
        onConfirm={withdraw.mutate}
        isBusy={withdraw.isPending}
      />
    </span>
  )
}
