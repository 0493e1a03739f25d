import { Page } from '../shell/page.tsx'
import { EnrolSteps } from './enrol-steps.tsx'

const crumb = { to: '/devices', text: 'Devices' } as const

export const EnrolPage = () => (
  <Page title="Enrol a machine" crumb={crumb} hasOwnTitle>
    <div className="page enrol">
      <EnrolSteps title="Enrol a machine" />
    </div>
  </Page>
)
