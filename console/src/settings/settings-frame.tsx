import './settings.css'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { ReactNode } from 'react'
import { type Section, SectionFrame } from '../components/section-frame.tsx'

const sections: readonly Section[] = [{ to: '/settings/organization', text: 'Organization' }]

type Parts = {
  readonly title: string
  readonly lead?: ReactNode
  readonly power?: AdminPower
  readonly isWide?: boolean
  readonly children: ReactNode
}

export const SettingsFrame = (parts: Parts) => <SectionFrame area="Settings" sections={sections} {...parts} />
