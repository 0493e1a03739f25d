import { type GuideName, guidePath } from '@muster/contract/guides.ts'
import type { ReactNode } from 'react'

/** Opens the documentation that the server brings along beside what someone is doing. */
export const GuideLink = ({ name, children }: { readonly name: GuideName; readonly children: ReactNode }) => (
  <a className="underlined" href={guidePath(name)} target="_blank" rel="noreferrer">
    {children}
  </a>
)
