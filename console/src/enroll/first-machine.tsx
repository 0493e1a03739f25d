import { lazy, Suspense } from 'react'
import { SkeletonRows } from '../components/notices.tsx'

const Steps = lazy(async () => ({ default: (await import('./enroll-steps.tsx')).EnrollSteps }))

/** In the place of lists that have nothing to show yet; loaded by who needs it. */
export const FirstMachine = () => (
  <div className="page enroll">
    <Suspense fallback={<SkeletonRows rows={8} />}>
      <Steps title="Enroll the first machine" />
    </Suspense>
  </div>
)
