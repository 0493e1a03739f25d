import { Button } from '@mantine/core'
import type { SignInKeyView } from '@muster/contract/console-sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { LoadFailure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { deadlineOf } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import '../developers/developers.css'
import './sign-in.css'
import { SignInTabs } from './connection-tabs.tsx'
import { keyStateWords } from './connection-words.ts'

const leadMs = 2 * 3_600_000

export function SigningKeysPage() {
  const keys = useQuery(query('listSignInKeys', {}, { pace: 'usual' }))
  const may = useMay('manage_sign_in')
  return (
    <Page title="Sign-in">
      <SignInTabs />
      <div className="page form-page">
        <section className="form-section">
          <h2>Signing keys</h2>
          <p className="secondary">
            They sign the ID tokens of every connection. Applications fetch them automatically; a new key is published
            two hours before it signs.
          </p>
          <LoadFailure what="The keys" query={keys} />
          {keys.isPending && <SkeletonRows rows={2} />}
          {keys.data?.data.length === 0 && <p className="secondary">None yet: the first sign-in makes one.</p>}
          {keys.data && keys.data.data.length > 0 && (
            <ul className="lines">
              {keys.data.data.map((key) => (
                <li className="line" key={key.id}>
                  <code className="ellipsis grow" title={key.id}>
                    {key.id}
                  </code>
                  <span className="secondary">{momentOf(key)}</span>
                </li>
              ))}
            </ul>
          )}
          {typeof keys.data?.jwks_uri === 'string' && <CodeBlock text={keys.data.jwks_uri} label="JWKS address" />}
          {may && keys.data && keys.data.data.length > 0 && <Rotation />}
        </section>
      </div>
    </Page>
  )
}

/** Its state with the moment that says most about it. */
function momentOf({ state, active_from: from, retired_at: until, withdrawn_at: withdrawn }: SignInKeyView): string {
  const at = (time: string | null) => (time === null ? '' : ` ${deadlineOf(time, Date.now())} UTC`)
  if (state === 'published') return `Published, signs from${at(from)}`
  if (state === 'signing') return until === null ? `Signs since${at(from)}` : `Signs until${at(until)}`
  return `${keyStateWords[state]}${at(state === 'withdrawn' ? withdrawn : until)}`
}

function Rotation() {
  const [opened, setOpened] = useState<'planned' | 'emergency'>()
  const rotate = useAction({
    act: (isEmergency: boolean) => api('rotateSignInKeys', { body: { is_emergency: isEmergency } }),
    refresh: ['listSignInKeys', 'audit'],
    hasForm: true,
    said: ({ active_from: from }, isEmergency) =>
      isEmergency ? 'The new key signs now' : `The new key signs from ${deadlineOf(from, Date.now())} UTC`,
    onDone: () => setOpened(undefined),
  })
  const shared = { onClose: () => setOpened(undefined), isBusy: rotate.isPending, fault: rotate.faultBeside }
  return (
    <>
      <div className="form-ends">
        <Button onClick={() => setOpened('planned')}>Rotate the key…</Button>
        <Button onClick={() => setOpened('emergency')}>Replace at once…</Button>
      </div>
      <ConfirmDialog
        {...shared}
        isOpen={opened === 'planned'}
        question="Rotate the signing key?"
        consequences={[
          `The new key is published now and signs from ${deadlineOf(new Date(Date.now() + leadMs).toISOString(), Date.now())} UTC.`,
        ]}
        stays="Sign-ins work throughout, where applications fetch the key set. The present key stays published for a day after it."
        verb="Rotate the key"
        isDangerous={false}
        onConfirm={() => rotate.mutate(false)}
      />
      <ConfirmDialog
        {...shared}
        isOpen={opened === 'emergency'}
        question="Replace the signing key at once?"
        consequences={[
          'The present key, and any that was to come, leave the key set now.',
          'Applications that keep the key set refuse sign-ins until they fetch it again, up to an hour.',
        ]}
        stays="Do this only when the private key may be known to others."
        typed="replace"
        verb="Replace the key at once"
        onConfirm={() => rotate.mutate(true)}
      />
    </>
  )
}
