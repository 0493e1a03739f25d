import type { ReactNode } from 'react'
import { SectionFrame } from '../components/section-frame.tsx'
import { accountSections } from '../shell/sections.ts'

type Parts = {
  readonly title: string
  readonly lead?: ReactNode
  readonly isWide?: boolean
  readonly children: ReactNode
}

export const AccountFrame = (parts: Parts) => <SectionFrame area="Account" sections={accountSections} {...parts} />
