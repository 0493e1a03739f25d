import { type ReactNode, useEffect } from 'react'
import { MusterMark } from '../components/muster-mark.tsx'

/** A page before anybody is signed in: one column, no chrome. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Muster`
  }, [title])
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
        <a className="u" href="/docs">
          API documentation
        </a>
      </footer>
    </div>
  )
}
