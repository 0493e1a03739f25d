import { type ReactNode, useEffect, useRef } from 'react'

/** For each Link within Tabs. */
export const asTab = {
  activeOptions: { exact: true, includeSearch: false },
  activeProps: { className: 'on' },
} as const

/** The parts of a record: links, since each part has an address of its own. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const list = useRef<HTMLElement>(null)
  // On a small screen the list is one line that scrolls.
  useEffect(() => {
    list.current?.querySelector('.on')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav className="tabs" aria-label={label} ref={list}>
      {children}
    </nav>
  )
}
