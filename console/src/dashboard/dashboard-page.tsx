import './dashboard.css'
import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { useQuery } from '@tanstack/react-query'
import { HeldBlocks } from '../checks/held-blocks.tsx'
import { LiveMark } from '../components/live-line.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { summaryQuery } from '../devices/device-queries.ts'
import { FirstMachine } from '../enroll/first-machine.tsx'
import { Agents } from './agents.tsx'
import { DeliveryHealth } from './delivery-health.tsx'
import { FailingChecks } from './failing-checks.tsx'
import { FirstSteps, useAreFirstStepsLoading } from './first-steps.tsx'
import { leadSentence, secondSentence } from './lead-sentence.ts'
import { ManyRegistrations } from './many-registrations.tsx'
import { NextToBlock } from './next-to-block.tsx'
import { StackedDays } from './stacked-days.tsx'
import { StandingBar } from './standing-bar.tsx'

export function DashboardPage() {
  const summary = useQuery(summaryQuery)
  const isLoading = useAreFirstStepsLoading() || summary.isPending
  return (
    <Page title="Dashboard" hasOwnTitle actions={<LiveMark />}>
      <div className="page dashboard">
        {summary.isError && !summary.data && (
          <>
            <h1 tabIndex={-1}>Dashboard</h1>
            <Failure
              what="The figures could not be loaded."
              error={summary.error}
              onRetry={() => void summary.refetch()}
            />
          </>
        )}
        {isLoading && <SkeletonRows rows={8} />}
        {summary.data && !isLoading && <Loaded summary={summary.data} />}
      </div>
    </Page>
  )
}

function Loaded({ summary }: { summary: ConsoleSummary }) {
  const total = Object.values(summary.standings).reduce((sum, count) => sum + count, 0)
  if (total === 0) {
    return (
      <>
        <FirstMachine />
        <FirstSteps />
      </>
    )
  }
  return (
    <>
      <h1 tabIndex={-1}>{leadSentence(summary)}</h1>
      <p className="secondary lead">{secondSentence(summary)}</p>
      <StandingBar summary={summary} />
      <HeldBlocks />
      <ManyRegistrations people={summary.many_registrations} />
      <FirstSteps />
      <div className="halves">
        <StackedDays summary={summary} />
        <NextToBlock rows={summary.next_to_block} />
      </div>
      <div className="halves">
        <FailingChecks checks={summary.failing_checks} />
        <div className="stack">
          <DeliveryHealth />
          <Agents summary={summary} />
        </div>
      </div>
    </>
  )
}
