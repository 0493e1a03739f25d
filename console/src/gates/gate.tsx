import type { ReactNode } from 'react'
import { MusterMark } from '../components/muster-mark.tsx'
import { useTabTitle } from '../components/use-tab-title.ts'
import './gates.css'

/** A page before anyone is signed in: one column, no chrome. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useTabTitle(title)
  return (
    <div className="gate">
      <main className="gate-column">
        <div className="gate-mark">
          <MusterMark />
          Muster
        </div>
        <h1>{title}</h1>
        {children}
      </main>
      <footer className="gate-foot">
        {location.host}
        <a className="underlined" href="/docs/guides">
          Documentation
        </a>
      </footer>
    </div>
  )
}
