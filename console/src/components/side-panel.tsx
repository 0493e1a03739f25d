import { type ReactNode, useEffect } from 'react'
import { Icon } from './icon.tsx'
import './side-panel.css'

type Parts = {
  readonly title: ReactNode
  readonly name: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** One record beside its list; it is in the address, and traps nothing. */
export function SidePanel({ title, name, onClose, children }: Parts) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('[role="dialog"],[role="menu"]')) onClose()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [onClose])
  return (
    <aside className="side-panel" aria-label={name}>
      <div className="section-head">
        <h2>{title}</h2>
        <button type="button" className="copy" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </aside>
  )
}
