import './settings.css'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { ReactNode } from 'react'
import { type Section, SectionFrame } from '../components/section-frame.tsx'

const sections: readonly Section[] = [
  { to: '/settings/organization', text: 'Organization' },
  { to: '/settings/admins', text: 'Administrators', power: 'manage_administrators' },
  { to: '/settings/sign-in', text: 'Sign-in' },
  { to: '/settings/registration', text: 'Registration' },
  { to: '/settings/enrolment', text: 'Enrolment' },
  { to: '/settings/scim', text: 'SCIM' },
  { to: '/settings/privacy', text: 'Privacy' },
  { to: '/settings/retention', text: 'Retention' },
]

type Parts = {
  readonly title: string
  readonly lead?: ReactNode
  readonly power?: AdminPower
  readonly isWide?: boolean
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const SettingsFrame = (parts: Parts) => <SectionFrame area="Settings" sections={sections} {...parts} />
