import type { ReactNode } from 'react'
import { SectionFrame } from '../components/section-frame.tsx'

const sections = [
  { to: '/account/security', text: 'Security' },
  { to: '/account/sessions', text: 'Sessions' },
  { to: '/account/preferences', text: 'Preferences' },
] as const

type Parts = {
  readonly title: string
  readonly lead?: ReactNode
  readonly isWide?: boolean
  readonly children: ReactNode
}

export const AccountFrame = (parts: Parts) => <SectionFrame area="Account" sections={sections} {...parts} />
