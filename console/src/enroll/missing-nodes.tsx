import type { MissingNode, NoCompanion } from '../components/companion-platforms.ts'
import { CommandRow } from './step.tsx'

/** What the operator runs so that there are packages for more processors. */
export const MissingNodes = ({ missing }: { missing: readonly MissingNode[] }) =>
  missing.map(({ architecture, node_version: version, command }) => (
    <div key={architecture} className="missing-node">
      <p className="small secondary">
        For the companion on {architecture} computers, run this on the server. It adds Node {version}:
      </p>
      <CommandRow command={command} label={`the command for ${architecture} computers`} />
    </div>
  ))

/** For a platform that has no companion: what that means, and what would bring it one. */
export const NoCompanionNote = ({ words, missing }: NoCompanion) => (
  <>
    <p className="note will enroll-note">
      <span>
        <b className="medium">{words}.</b> Checks run and are reported. A sign-in connection that enforces refuses
        people who have nothing else.
      </span>
    </p>
    <MissingNodes missing={missing} />
  </>
)
