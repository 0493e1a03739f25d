import type { Device } from '@muster/contract/devices.ts'
import type { Person } from '@muster/contract/people.ts'
import { Link } from '@tanstack/react-router'
import { Fact } from '../components/fact.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { CompanionFacts } from './companion-facts.tsx'
import { Copied, missing } from './copied.tsx'
import { ownerIdOf } from './device-facts.ts'
import { LatestChanges } from './latest-changes.tsx'
import { modeWords } from './sign-in-modes.ts'

export function FactsRail({ device, owner }: { device: Device; owner: Person | undefined }) {
  const ownerId = ownerIdOf(device)
  const mode = device.auth_configuration?.authentication_mode
  const groups = device.auth_configuration?.person_groups ?? []
  return (
    <aside className="rail" aria-label="Facts">
      <dl className="facts">
        <Fact name="Owner">
          {owner ? (
            <span className="stack ellipsis">
              <Link to="/people/$personId" params={{ personId: owner.id }} className="medium ellipsis">
                {visibleText(owner.name)}
              </Link>
              <span className="secondary ellipsis">{visibleText(owner.email)}</span>
            </span>
          ) : ownerId !== undefined ? (
            <Link to="/people/$personId" params={{ personId: ownerId }} className="medium">
              Person {ownerId}
            </Link>
          ) : (
            <span className="faint">Not registered</span>
          )}
        </Fact>
        <Fact name="Sign-in allowed">{mode ? modeWords[mode] : missing}</Fact>
        {groups.length > 0 && (
          <Fact name="Groups">
            <span className="tags">
              {groups.map(({ id, name }) => (
                <span className="tag" key={id}>
                  {visibleText(name)}
                </span>
              ))}
            </span>
          </Fact>
        )}
        <Fact name="Model">{device.hardware_model === null ? missing : visibleText(device.hardware_model)}</Fact>
        <Fact name="System">{device.operating_system === null ? missing : visibleText(device.operating_system)}</Fact>
        <Fact name="Serial">
          <Copied text={device.serial} label="the serial number" />
        </Fact>
        <Fact name="Hardware UUID">
          <Copied text={device.hardware_uuid} label="the hardware UUID" />
        </Fact>
        <Fact name="Device ID">
          <Copied text={device.id} label="the device ID" />
        </Fact>
        <Fact name="Agent">{device.agent_version === null ? missing : visibleText(device.agent_version)}</Fact>
        <Fact name="Enrolled">
          <RelativeTime time={device.enrolled_at} />
        </Fact>
        <Fact name="Last seen">
          <RelativeTime time={device.last_seen_at} missing="never" />
        </Fact>
        <Fact name="Last sign-in">
          <RelativeTime time={device.last_authenticated_at} missing="never" />
        </Fact>
        <Fact name="Registered">
          <RelativeTime time={device.registered_at} />
        </Fact>
        <Fact name="Note">
          {device.note === null ? missing : <span className="rail-note">{visibleText(device.note)}</span>}
        </Fact>
      </dl>
      <CompanionFacts device={device} />
      <LatestChanges device={device} />
    </aside>
  )
}
