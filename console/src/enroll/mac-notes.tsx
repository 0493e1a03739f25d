import { GuideLink } from '../components/guide-link.tsx'
import { CommandRow } from './step.tsx'

/** What an administrator has to know of the companion's package for macOS before it is rolled out. */
export const MacNotes = () => (
  <p className="note will enroll-note">
    <span>
      <b className="medium">Not tried on a Mac yet.</b> Install it on one before you roll it out. The package is not
      signed: an MDM whose agent runs <code>installer</code> takes it, and macOS refuses a double-click until you sign
      it. <GuideLink name="packages">Learn more</GuideLink>
    </span>
  </p>
)

/** What it does there, and how to be rid of it. */
export const MacCompanion = () => (
  <>
    <p className="small faint">
      It runs as root, asks osquery what your checks ask, and answers the sign-in pages of this server in the browser.
      It reads nothing else and changes no setting. To remove it, with its key:
    </p>
    <CommandRow command="sudo sh /opt/muster-companion/uninstall.sh" label="the command that removes it" />
  </>
)
