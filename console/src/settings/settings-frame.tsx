import './settings.css'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { ReactNode } from 'react'
import { SectionFrame } from '../components/section-frame.tsx'
import { settingSections } from '../shell/sections.ts'

type Parts = {
  readonly title: string
  readonly listedIn?: string
  readonly lead?: ReactNode
  readonly power?: AdminPower
  readonly isWide?: boolean
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const SettingsFrame = (parts: Parts) => <SectionFrame area="Settings" sections={settingSections} {...parts} />
