import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { CompanionCounts } from './companion-counts.tsx'
import { EnrollSteps } from './enroll-steps.tsx'

const crumb = { to: '/devices', text: 'Devices' } as const

const route = getRouteApi('/shell/devices/enroll')

export function EnrollPage() {
  const choice = route.useSearch()
  return (
    <Page title="Enroll a machine" crumb={crumb} hasOwnTitle>
      <div className="page enroll">
        <EnrollSteps key={`${choice.platform} ${choice.agent}`} title="Enroll a machine" {...choice} />
        <CompanionCounts />
      </div>
    </Page>
  )
}
