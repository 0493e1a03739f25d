import { Button } from '@mantine/core'
import type { BlockHolds } from '@muster/contract/console-checks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { blockHoldsQuery } from './check-queries.ts'
import { devices, people } from './check-words.ts'

type Hold = BlockHolds['data'][number]

/** The blocks that wait for a decision: of one check, with those that were discarded, or of all checks. */
export function HeldBlocks({ checkId }: { readonly checkId?: string }) {
  const holds = useQuery(blockHoldsQuery)
  const shown = holds.data?.data.filter(({ check, discarded_at: at }) =>
    checkId === undefined ? at === null : check.id === checkId,
  )
  return (
    <>
      <LoadFailure what="The blocks that are held" query={holds} />
      {shown?.map((hold) => (
        <HeldBlock key={hold.id} hold={hold} isOnCheck={checkId !== undefined} />
      ))}
    </>
  )
}

function HeldBlock({ hold, isOnCheck }: { readonly hold: Hold; readonly isOnCheck: boolean }) {
  const [asked, setAsked] = useState<'release' | 'discard'>()
  const mayDecide = useMay('configure_checks')
  const close = () => setAsked(undefined)
  return (
    <div className="notice" role="status">
      <div className="grow">
        <HoldText hold={hold} isOnCheck={isOnCheck} />
      </div>
      {mayDecide && hold.discarded_at === null && <Button onClick={() => setAsked('discard')}>Discard…</Button>}
      {mayDecide && <Button onClick={() => setAsked('release')}>Release…</Button>}
      {asked === 'release' && <Release hold={hold} onClose={close} />}
      {asked === 'discard' && <Discard hold={hold} onClose={close} />}
    </div>
  )
}

function HoldText({ hold, isOnCheck }: { readonly hold: Hold; readonly isOnCheck: boolean }) {
  const { check, discarded_at: discardedAt } = hold
  if (discardedAt !== null) {
    return (
      <>
        <b className="medium">The blocks of {devices(hold.devices)} were discarded</b>{' '}
        <RelativeTime time={discardedAt} /> by {visibleText(hold.discarded_by ?? '')}. They fail the check and are not
        blocked.
      </>
    )
  }
  const name = visibleText(check.name)
  const link = (
    <Link to="/checks/$checkId" params={{ checkId: check.id }} className="underlined">
      {name}
    </Link>
  )
  return (
    <>
      <b className="medium">
        The blocks of {devices(hold.devices)} of {people(hold.people)} are held.
      </b>{' '}
      <WhyHeld hold={hold} subject={isOnCheck ? undefined : link} /> Until you decide, these devices keep the state that
      they had before
      {hold.taken_back === 0
        ? ', and nothing is signaled.'
        : `. The blocks of ${devices(hold.taken_back)} within the hour before were taken back, and receivers were told.`}
    </>
  )
}

/** One that began with an upgrade may have come to hold too many at once, which is then what to know. */
function WhyHeld({ hold, subject }: { readonly hold: Hold; readonly subject: ReactNode | undefined }) {
  const { owner_limit: limit, query_upgraded_at: upgradedAt } = hold
  if (limit === null && upgradedAt !== null) {
    return (
      <>
        An upgrade of Muster (<RelativeTime time={upgradedAt} />) changed the query of {subject ?? 'this check'}, which{' '}
        {hold.devices === 1 ? 'this device fails' : 'these devices fail'} and did not fail before.
      </>
    )
  }
  return (
    <>
      {subject ?? 'This check'} was about to block{' '}
      {limit === null ? 'many devices' : `the devices of more than ${people(limit)} within an hour`} (
      <RelativeTime time={hold.began_at} />
      ).
    </>
  )
}

type DialogParts = { readonly hold: Hold; readonly onClose: () => void }

function Release({ hold, onClose }: DialogParts) {
  const { check, devices: count } = hold
  const isOfUpgrade = hold.query_upgraded_at !== null
  const release = useAction({
    act: () => api('releaseBlockHold', { params: { blockHoldId: hold.id } }),
    refresh: ['checks', 'issues', 'devices'],
    said: () => `Released the blocks of “${visibleText(check.name)}”`,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Release the blocks of ${devices(count)}?`}
      consequences={[
        `${devices(count)} that ${count === 1 ? 'fails' : 'fail'} “${visibleText(check.name)}” ${count === 1 ? 'is' : 'are'} blocked${isOfUpgrade ? ', at once or after the days of grace that the check has' : ' now'}.`,
        ...(isOfUpgrade ? ['Devices that fail it later are blocked as usual.'] : []),
        'For 24 hours, blocks of this check are not held again.',
      ]}
      stays="To let the devices in again, pause the check."
      verb={`Block ${devices(count)}`}
      onConfirm={() => release.mutate()}
      isBusy={release.isPending}
    />
  )
}

function Discard({ hold, onClose }: DialogParts) {
  const { check, devices: count } = hold
  const discard = useAction({
    act: () => api('discardBlockHold', { params: { blockHoldId: hold.id } }),
    refresh: ['checks', 'issues', 'devices'],
    said: () => `Discarded the blocks of “${visibleText(check.name)}”`,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Discard the blocks of ${devices(count)}?`}
      consequences={[
        `The open issues of “${visibleText(check.name)}” on ${count === 1 ? 'it' : 'them'} block nobody, even if the check is right.`,
        'A device that fails the check later is blocked as usual.',
      ]}
      stays="You can release these blocks later on the page of the check."
      verb={`Discard the blocks of ${devices(count)}`}
      isDangerous={false}
      onConfirm={() => discard.mutate()}
      isBusy={discard.isPending}
    />
  )
}
