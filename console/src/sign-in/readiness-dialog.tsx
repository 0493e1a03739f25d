import { Button, Modal, TextInput } from '@mantine/core'
import { systemNames } from '@muster/contract/computer-types.ts'
import type { SignInConnectionView, SignInReadiness } from '@muster/contract/console-sign-in.ts'
import { type RefusalReason, refusalReasons } from '@muster/contract/refusal-reasons.ts'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { query, refresh } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { noneHereFor } from '../components/companion-platforms.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure, SkeletonRows } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { countOf, pausedUntil, reasonWords, refusedTitle } from './connection-words.ts'
import { RefusedPeople } from './refused-people.tsx'

type Parts = { readonly connection: SignInConnectionView; readonly onClose: () => void }

/** Who is refused today or would be, by name; the way to enforce where the connection does not yet. */
export function ReadinessDialog({ connection, onClose }: Parts) {
  const report = useQuery(query('getSignInReadiness', { params: { id: connection.id } }, { staleTime: 0 }))
  const may = useMay('manage_sign_in')
  const [reason, setReason] = useState<RefusalReason>()
  const isEnforcing = connection.mode === 'enforce'
  const isRefusing = isEnforcing && pausedUntil(connection) === null
  const title = isEnforcing || !may ? refusedTitle(connection) : `Enforce “${visibleText(connection.name)}”?`
  return (
    <Modal opened onClose={onClose} title={title} size="lg" withCloseButton={false}>
      <div className="dialog-form">
        <LoadFailure what="The report" query={report} />
        {report.isPending && <SkeletonRows rows={4} />}
        {report.data && (
          <>
            <p>{leadOf(report.data, isRefusing)}</p>
            <Platforms report={report.data} isRefusing={isRefusing} />
            <Reasons report={report.data} chosen={reason} onChoose={setReason} />
            {report.data.refused_count > 0 && <RefusedPeople connectionId={connection.id} reason={reason} />}
          </>
        )}
        {report.data && may && !isEnforcing ? (
          <EnforceForm connection={connection} report={report.data} onClose={onClose} />
        ) : (
          <div className="dialog-ends">
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </div>
        )}
      </div>
    </Modal>
  )
}

function leadOf({ refused_count: refused, people_count: people }: SignInReadiness, isRefusing: boolean): string {
  const would = isRefusing ? (refused < 2 ? 'is' : 'are') : 'would be'
  if (people === 0) return `There are no people yet: everyone who comes ${would} refused.`
  if (refused > 0) {
    return `${countOf(refused, 'person', 'people')} of ${people.toLocaleString('en')} ${would} refused today.`
  }
  const all = people === 1 ? 'the one person' : `all ${people.toLocaleString('en')} people`
  return `No one ${would} refused today: ${all} ${isRefusing ? 'can' : 'could'} sign in.`
}

/** People whom nothing that IT could install would let in. */
function Platforms({ report: { platforms }, isRefusing }: { report: SignInReadiness; isRefusing: boolean }) {
  if (platforms.length === 0) return null
  const types = platforms.map(({ device_type: type }) => type)
  const counts = platforms.map(
    ({ device_type: type, people_count: count }) => `${systemNames[type]}: ${countOf(count, 'person', 'people')}`,
  )
  return (
    <p className="note will">
      <span>
        {noneHereFor(types)} ({counts.join(', ')}).{' '}
        {isRefusing ? 'They are refused' : 'Once this connection enforces, they are refused'} whatever you install.
      </span>
    </p>
  )
}

type ReasonParts = {
  readonly report: SignInReadiness
  readonly chosen: RefusalReason | undefined
  readonly onChoose: (reason: RefusalReason | undefined) => void
}

const Reasons = ({ report, chosen, onChoose }: ReasonParts) => (
  <ul className="reason-list">
    {refusalReasons
      .filter((reason) => report.reasons[reason] > 0)
      .map((reason) => (
        <li key={reason}>
          <button
            type="button"
            className="plain"
            aria-pressed={chosen === reason}
            onClick={() => onChoose(chosen === reason ? undefined : reason)}
          >
            <span className="grow">{reasonWords[reason]}</span>
            <span className="tabular">{report.reasons[reason].toLocaleString('en')}</span>
          </button>
        </li>
      ))}
  </ul>
)

function EnforceForm({ connection, report, onClose }: Parts & { readonly report: SignInReadiness }) {
  const [typed, setTyped] = useState('')
  const count = report.refused_count
  const enforce = useAction({
    act: () =>
      api('changeSignInConnection', {
        params: { id: connection.id },
        body: { mode: 'enforce', refused_count: Number(typed) },
      }),
    refresh: ['connections'],
    hasForm: true,
    said: () => `“${visibleText(connection.name)}” enforces from now on`,
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enforce.mutate(undefined, {
      // Its number may be another one by now.
      onError: () => void refresh('connections'),
    })
  }
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      <TextInput
        label={`Type ${count} to continue`}
        description="The number of people who would be refused today. The server counts again when you save."
        value={typed}
        inputMode="numeric"
        autoComplete="off"
        error={enforce.faultOf('refused_count')}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <FormFault error={enforce.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="filled"
          color="danger"
          disabled={typed.trim() !== String(count)}
          loading={enforce.isPending}
        >
          {count === 0 ? 'Enforce' : `Enforce and refuse ${countOf(count, 'person', 'people')}`}
        </Button>
      </div>
    </form>
  )
}
