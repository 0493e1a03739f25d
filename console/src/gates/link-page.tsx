import { Button } from '@mantine/core'
import type { ConsoleLink } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { query } from '../api/query.ts'
import { useNow } from '../components/relative-time.tsx'
import { spanOf } from '../components/times.ts'
import { AcceptForm } from './accept-form.tsx'
import { Gate } from './gate.tsx'
import { GateSteps } from './gate-steps.tsx'

const titles: Readonly<Record<ConsoleLink['purpose'], string>> = {
  first_run: 'Create the first administrator',
  invite: 'Choose a password',
  reset: 'Choose a new password',
}

/** Where a one-time link leads. The token stands in the fragment, so that no log sees it. */
export function LinkPage() {
  const [token] = useState(() => location.hash.slice(1))
  const link = useQuery(query('getLink', { body: { token } }, { enabled: token !== '', retry: false }))
  if (token === '' || link.isError) return <LinkEnded error={link.error} onRetry={() => void link.refetch()} />
  if (!link.data) return null
  return <OpenLink token={token} link={link.data} />
}

function OpenLink({ token, link }: { token: string; link: ConsoleLink }) {
  const now = useNow()
  const left = spanOf(Math.max(0, new Date(link.expires_at).getTime() - now))
  const lead =
    link.purpose === 'first_run'
      ? `For ${link.organization.name}. This link works once and ends in ${left}. The account gets full access; invite others afterwards.`
      : `For ${link.email ?? 'your account'} at ${link.organization.name}. This link works once and ends in ${left}.`
  return (
    <Gate title={titles[link.purpose]}>
      <GateSteps now="Account" />
      <p className="gate-lead">{lead}</p>
      <AcceptForm
        token={token}
        isFirstRun={link.purpose === 'first_run'}
        email={link.email}
        organization={link.organization.name}
      />
    </Gate>
  )
}

function LinkEnded({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const isOver = error === null || (error instanceof ApiError && error.status >= 400 && error.status < 500)
  return (
    <Gate title={isOver ? 'This link is no longer valid' : 'The link could not be read'}>
      <p className="gate-lead">
        {isOver
          ? 'It was already used, has expired, or is incomplete. Ask for a new one, or check the terminal that runs the server.'
          : error?.message}
      </p>
      {isOver ? (
        <p>
          <Link className="underlined" to="/sign-in">
            Sign in
          </Link>
        </p>
      ) : (
        <Button onClick={onRetry}>Try again</Button>
      )}
    </Gate>
  )
}
