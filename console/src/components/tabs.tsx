import type { ReactNode } from 'react'

/** For each Link within Tabs. */
export const asTab = {
  activeOptions: { exact: true, includeSearch: false },
  activeProps: { className: 'on' },
} as const

/** The parts of a record: links, since each part has an address of its own. */
export const Tabs = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
)
