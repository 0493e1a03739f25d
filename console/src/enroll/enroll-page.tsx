import { Page } from '../components/page.tsx'
import { CompanionCounts } from './companion-counts.tsx'
import { EnrollSteps } from './enroll-steps.tsx'

const crumb = { to: '/devices', text: 'Devices' } as const

export const EnrollPage = () => (
  <Page title="Enroll a machine" crumb={crumb} hasOwnTitle>
    <div className="page enroll">
      <EnrollSteps title="Enroll a machine" />
      <CompanionCounts />
    </div>
  </Page>
)
