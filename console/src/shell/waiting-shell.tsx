import { Icon } from '../components/icon.tsx'
import { MusterMark } from '../components/muster-mark.tsx'
import { SkeletonRows } from '../components/notices.tsx'
import { investigateEntries, mainEntries } from './entries.ts'
import './shell.css'

/** What is drawn while the server has not yet said who is signed in: the frame, with nothing that could be clicked. */
export const WaitingShell = () => (
  <div className="app" aria-busy="true">
    <div className="side" aria-hidden="true">
      <div className="organization">
        <MusterMark />
      </div>
      {[...mainEntries, ...investigateEntries].map(({ to, icon, text }) => (
        <span key={to} className="nav faint">
          <Icon name={icon} />
          {text}
        </span>
      ))}
    </div>
    <main className="main" id="content">
      <div className="page">
        <div className="hidden" role="status">
          <h1>Loading…</h1>
        </div>
        <SkeletonRows rows={6} />
      </div>
    </main>
  </div>
)
