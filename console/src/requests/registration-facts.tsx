import type { RegistrationRequestView } from '@muster/contract/console-issues.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly asked: RegistrationRequestView }

/** Which device it is, what was known when it was asked for, and what speaks against it. */
export function RegistrationFacts({ asked }: Parts) {
  const { hardware_model: model, serial, operating_system: system, evidence } = asked
  const device = [model, serial && `serial number ${serial}`, system].filter(Boolean).join(' · ')
  return (
    <div className="small secondary request-facts">
      {device !== '' && <p>{visibleText(device)}</p>}
      {evidence !== null && <Evidence evidence={evidence} />}
      {asked.status === 'pending' && <Standing asked={asked} />}
    </div>
  )
}

function Evidence({ evidence }: { readonly evidence: NonNullable<RegistrationRequestView['evidence']> }) {
  const { application, vouched_by: vouchedBy, ip_address: address, is_same_network: isSame } = evidence
  return (
    <>
      <p>
        Asked on the page of a{' '}
        <Link to="/sign-ins/$signInId" params={{ signInId: evidence.sign_in_id }} className="underlined">
          sign-in to {visibleText(application)}
        </Link>
        , from {visibleText(address)}
        {isSame !== null && (isSame ? ', which is also the network of its companion' : '')}. {visibleText(vouchedBy)}{' '}
        says who the person is.
      </p>
      {evidence.companion_linked_at !== null && (
        <p>
          The device proved itself by its companion, linked <RelativeTime time={evidence.companion_linked_at} />.
        </p>
      )}
      {isSame === false && (
        <p className="strong">The companion of the device was on another network than the browser.</p>
      )}
      {evidence.people_count === null && <p>How many people were logged in on the device is unknown.</p>}
      {(evidence.people_count ?? 0) > 1 && (
        <p className="strong">{evidence.people_count} people were logged in on the device.</p>
      )}
    </>
  )
}

function Standing({ asked }: Parts) {
  const { present_owner: owner, ended } = asked
  return (
    <>
      {ended !== null && (
        <p className="strong">
          {visibleText(ended.by)} ended their registration of this device <RelativeTime time={ended.at} />.
        </p>
      )}
      {asked.is_suspended && <p>The device is theirs, and its registration is suspended. Approving confirms it.</p>}
      {!asked.is_suspended && (
        <p>
          {owner === null
            ? 'The device has no owner.'
            : `The device is registered to ${visibleText(owner.name)}, who would lose it.`}
        </p>
      )}
    </>
  )
}
