import type { Package } from '@muster/contract/packages.ts'
import { GuideLink } from '../components/guide-link.tsx'
import { CommandRow } from './step.tsx'

/** Where each file of the companion can be given out, by what the makers of these places say. */
const places: readonly [place: string, pkg: string, sh: string][] = [
  ['By hand', 'yes, in the terminal', 'yes'],
  ['Intune, shell script', 'no, it is too large', 'yes, as root'],
  ['Intune, macOS app (PKG)', 'yes', 'no'],
  ['Jamf, policy', 'yes', 'yes'],
  ['Jamf, PreStage enrollment', 'once you have signed it', 'no'],
  ['Kandji', 'yes, as a custom app', 'yes, as a custom script'],
]

const MacPlaces = () => (
  <table className="table compact mac-places">
    <thead>
      <tr>
        <th scope="col">Where</th>
        <th scope="col">.pkg</th>
        <th scope="col">.sh</th>
      </tr>
    </thead>
    <tbody>
      {places.map(([place, pkg, sh]) => (
        <tr key={place}>
          <th scope="row">{place}</th>
          <td>{pkg}</td>
          <td>{sh}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** What an administrator has to know of the companion's files for macOS before they are rolled out. */
export const MacNotes = ({ format }: Pick<Package, 'format'>) => (
  <>
    <p className="note will enroll-note">
      <span>
        <b className="medium">Not tried on a Mac yet.</b> Install it on one before you roll it out.{' '}
        {format === 'pkg' ? (
          <>
            The package is not signed: an MDM whose agent runs <code>installer</code> takes it, and macOS refuses a
            double-click until you sign it.
          </>
        ) : (
          <>
            The script downloads about 50 MB from this server, checks it by SHA-256 and installs it. It works on Apple
            silicon and Intel.
          </>
        )}{' '}
        <GuideLink name="companion-macos">Learn more</GuideLink>
      </span>
    </p>
    <MacPlaces />
  </>
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
