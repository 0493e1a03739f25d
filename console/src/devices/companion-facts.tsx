import { type ComputerType, computerTypes } from '@muster/contract/computer-types.ts'
import type { DeviceCompanion } from '@muster/contract/console-companions.ts'
import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CodeBlock } from '../components/code-block.tsx'
import { companionPlatformsQuery, useNoCompanion } from '../components/companion-platforms.ts'
import { Fact } from '../components/fact.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { companionWords } from './companion-words.ts'
import { Copied } from './copied.tsx'
import { companionQuery } from './device-queries.ts'

type Companion = NonNullable<DeviceCompanion['companion']>

/** How the companion of a computer stands; phones have none. */
export function CompanionFacts({ device }: { device: Device }) {
  const type = computerTypes.find((one) => one === device.device_type)
  return type === undefined ? null : <OfComputer id={device.id} type={type} />
}

function OfComputer({ id, type }: { id: string; type: ComputerType }) {
  const read = useQuery(companionQuery(id))
  if (!read.data) return <LoadFailure what="The companion" query={read} />
  const { companion } = read.data
  return (
    <section aria-labelledby="companion" className="section">
      <div className="section-head">
        <h2 id="companion">Companion</h2>
      </div>
      {companion === null ? <NoCompanion type={type} /> : <Facts companion={companion} type={type} />}
    </section>
  )
}

function NoCompanion({ type }: { type: ComputerType }) {
  const platforms = useQuery(companionPlatformsQuery)
  const lack = useNoCompanion(type)
  if (!platforms.data) return <LoadFailure what="Which computers can have a companion" query={platforms} />
  return (
    <p className="secondary">
      No companion: nothing proves at a sign-in that a browser runs on this device.{' '}
      {lack && `${lack.words}: a connection that enforces refuses it. `}
      {(!lack || lack.missing.length > 0) && (
        <Link className="underlined" to="/devices/enroll" search={{ platform: type, agent: 'muster_companion' }}>
          {lack ? 'See what to run on the server' : 'Install one'}
        </Link>
      )}
    </p>
  )
}

/** What looks, on the device, at all that its companion needs. */
const selftests: Readonly<Record<ComputerType, string>> = {
  Mac: 'sudo /opt/muster-companion/muster-companion selftest',
  Linux: 'sudo /usr/lib/muster-companion/muster-companion selftest',
  // There is no package for it.
  Windows: 'npx muster companion selftest',
}

function Facts({ companion, type }: { companion: Companion; type: ComputerType }) {
  const isTrial = companion.state === 'linked' && companion.linked_by === 'node_key'
  return (
    <>
      <dl className="facts">
        <Fact name="State">{companionWords[companion.state]}</Fact>
        <Fact name="Version">{visibleText(companion.agent_version)}</Fact>
        <Fact name="Key">
          <Copied text={companion.kid} label="the key" />
        </Fact>
        <Fact name="Linked since">
          <RelativeTime time={companion.linked_at} missing="not yet" />
        </Fact>
        <Fact name="Last check-in">
          <RelativeTime time={companion.last_contact_at} />
        </Fact>
        <Fact name="Last proof">
          <RelativeTime time={companion.last_proved_at} missing="never" />
        </Fact>
        {companion.port !== null && <Fact name="Listens on">port {companion.port}</Fact>}
      </dl>
      {companion.seen_twice_at !== null && <SeenTwice at={companion.seen_twice_at} />}
      {companion.port === null && companion.taken_ports.length > 0 && <WithoutPort ports={companion.taken_ports} />}
      {isTrial && (
        <p className="note companion-note">
          <span>
            <b className="medium">Key not protected: trial.</b> Every program of its user can read the key. It counts in
            a trial only.
          </span>
        </p>
      )}
      {!companion.is_bundled && <Selftest type={type} />}
    </>
  )
}

const Selftest = ({ type }: { type: ComputerType }) => (
  <>
    <p className="small secondary selftest">
      Does a sign-in fail here? Run this on the device, and read its table.{' '}
      <GuideLink name={type === 'Mac' ? 'companion-macos' : 'agent'}>Learn more</GuideLink>
    </p>
    <CodeBlock text={selftests[type]} label="the command" />
  </>
)

const SeenTwice = ({ at }: { at: string }) => (
  <p className="note will companion-note">
    <span>
      <b className="medium">{companionWords.seen_twice}</b>, last <RelativeTime time={at} />: its state folder was
      copied, or the machine was put back to an earlier state. The companion on this device continues, and a copy is
      refused. If the key is seen twice again, run <code>muster companion --new-key</code> on the device, or install the
      companion again.
    </span>
  </p>
)

const WithoutPort = ({ ports }: { ports: readonly number[] }) => (
  <p className="note will companion-note">
    <span>
      <b className="medium">Other programs hold all of its ports</b> ({ports.join(', ')}): no sign-in proves this device
      until one is free. End those programs or move them; the companion listens again within a minute by itself.
    </span>
  </p>
)
